// SPDX-License-Identifier: Apache-2.0
import { connect, createServer, type Server, type Socket } from "node:net";
import { resetSocket } from "../../../src/playground/reset-socket.ts";

/**
 * What a proxy does with a connection. `silent` swallows bytes both ways and answers nothing, as a lost route does;
 * `full` takes no more.
 */
export type ProxyMode = "open" | "reset" | "silent" | "full";

/** Both sockets of one connection. */
interface Pair {
  readonly sockets: readonly [Socket, Socket];
  /**
   * Whether the network has ever swallowed some of it: then it is lost for good, and neither side learns that the other
   * has gone.
   */
  isLost: boolean;
}

/** A TCP proxy on a free loopback port that can be cut. Close it, or it stays. */
export class TcpProxy {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #pairs = new Set<Pair>();
  #mode: ProxyMode = "open";

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  static async open(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("the proxy does not listen");
    return address.port;
  }

  /**
   * `reset` breaks what is open and what comes with RST. `silent` keeps what is open and takes what comes, but passes
   * nothing on; bytes it has swallowed are gone, so that such a connection stays dead when the proxy opens again.
   * `full` breaks what comes with RST and leaves what is open.
   */
  set(mode: ProxyMode): void {
    this.#mode = mode;
    for (const pair of this.#pairs) {
      if (mode === "reset") for (const socket of pair.sockets) resetSocket(socket);
      if (mode === "silent") lose(pair);
    }
  }

  async close(): Promise<void> {
    for (const { sockets } of this.#pairs) for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(near: Socket): void {
    near.on("error", () => near.destroy());
    if (this.#mode === "reset" || this.#mode === "full") {
      resetSocket(near);
      return;
    }
    const far = connect({ port: this.#targetPort, host: "127.0.0.1", noDelay: true });
    far.on("error", () => far.destroy());
    const pair = { sockets: [near, far] as const, isLost: false };
    this.#pairs.add(pair);
    if (this.#mode === "silent") lose(pair);
    else {
      near.pipe(far);
      far.pipe(near);
    }
    near.once("close", () => this.#end(pair));
    far.once("close", () => this.#end(pair));
  }

  #end(pair: Pair): void {
    const { sockets, isLost } = pair;
    // Not by the mode: a socket's close may come after the network is back.
    if (isLost && !sockets.every(({ destroyed }) => destroyed)) return;
    for (const socket of sockets) socket.destroy();
    this.#pairs.delete(pair);
  }
}

function lose(pair: Pair): void {
  pair.isLost = true;
  for (const socket of pair.sockets) {
    socket.unpipe();
    socket.resume();
  }
}
