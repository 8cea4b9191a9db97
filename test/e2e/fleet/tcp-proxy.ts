// SPDX-License-Identifier: Apache-2.0
import { connect, createServer, type Server, type Socket } from "node:net";
import { resetSocket } from "../../../src/rpc/reset-socket.ts";

/** What a proxy does with a connection. `silent` swallows bytes both ways and answers nothing, as a lost route does. */
export type ProxyMode = "open" | "reset" | "silent";

/** A TCP proxy on a free loopback port that can be cut. Close it, or it stays. */
export class TcpProxy {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
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
   * `reset` breaks what is open and what comes with RST. `silent` keeps what is open and takes what comes, but passes nothing on; bytes it
   * has swallowed are gone, so that such a connection stays dead when the proxy opens again.
   */
  set(mode: ProxyMode): void {
    this.#mode = mode;
    for (const pair of this.#pairs) {
      if (mode === "reset") for (const socket of pair) resetSocket(socket);
      if (mode === "silent") for (const socket of pair) silence(socket);
    }
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(near: Socket): void {
    near.on("error", () => near.destroy());
    if (this.#mode === "reset") {
      resetSocket(near);
      return;
    }
    const far = connect({ port: this.#targetPort, host: "127.0.0.1", noDelay: true });
    far.on("error", () => far.destroy());
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    if (this.#mode === "silent") for (const socket of pair) silence(socket);
    else {
      near.pipe(far);
      far.pipe(near);
    }
    near.once("close", () => this.#end(pair));
    far.once("close", () => this.#end(pair));
  }

  /** A silent pair does not tell one side that the other has gone. */
  #end(pair: readonly [Socket, Socket]): void {
    const [near, far] = pair;
    if (this.#mode === "silent" && !(near.destroyed && far.destroyed)) return;
    for (const socket of pair) socket.destroy();
    this.#pairs.delete(pair);
  }
}

function silence(socket: Socket): void {
  socket.unpipe();
  socket.resume();
}
