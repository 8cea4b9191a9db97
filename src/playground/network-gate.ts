// SPDX-License-Identifier: Apache-2.0
import { connect, createServer, type Server, type Socket } from "node:net";
import { type ListenAddress, listenOn } from "../rpc/listen.ts";
import { resetSocket } from "../rpc/reset-socket.ts";

/**
 * What the network before a server does: `open` passes everything, `refused` closes connections at once, `silent` takes them and passes nothing, as a
 * router that drops packets does.
 */
export type NetworkState = "open" | "refused" | "silent";

interface Link {
  readonly outer: Socket;
  readonly inner: Socket | undefined;
}

/** A port that passes connections on to another port of this machine, for as long as the network is said to work. */
export class NetworkGate {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #innerPort: number | undefined;
  #state: NetworkState = "open";
  /** Where it listens. */
  port = 0;

  private constructor() {
    this.#server = createServer((outer) => this.#accept(outer));
  }

  /** Opens the port. Rejects with LISTEN_FAILED. */
  static async open(address: ListenAddress): Promise<NetworkGate> {
    const gate = new NetworkGate();
    gate.port = await listenOn(gate.#server, address);
    return gate;
  }

  get state(): NetworkState {
    return this.#state;
  }

  /** Says where connections go; undefined while nothing listens there: they are then refused. */
  passTo(innerPort: number | undefined): void {
    this.#innerPort = innerPort;
    if (innerPort === undefined) this.#dropAll();
  }

  /** Changes what the network does. Connections that were silent are cut when it opens again: their peers have given up on them or will. */
  setState(state: NetworkState): void {
    const before = this.#state;
    this.#state = state;
    if (state === "refused" || before === "silent") this.#dropAll();
    if (state === "silent") for (const link of this.#links) silence(link);
  }

  async close(): Promise<void> {
    this.#dropAll();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(outer: Socket): void {
    // A peer that vanishes is no failure of ours: both ends are dropped when either is.
    outer.on("error", () => undefined);
    if (this.#state === "refused" || (this.#state === "open" && this.#innerPort === undefined)) {
      resetSocket(outer);
      return;
    }
    if (this.#state === "silent" || this.#innerPort === undefined) {
      this.#keep({ outer, inner: undefined });
      return;
    }
    const inner = connect({ host: "127.0.0.1", port: this.#innerPort, noDelay: true });
    outer.setNoDelay(true);
    inner.on("error", () => undefined);
    this.#keep({ outer, inner });
    outer.pipe(inner);
    inner.pipe(outer);
  }

  #keep(link: Link): void {
    this.#links.add(link);
    const end = (): void => {
      this.#links.delete(link);
      link.outer.destroy();
      link.inner?.destroy();
    };
    link.outer.once("close", end);
    link.inner?.once("close", end);
  }

  #dropAll(): void {
    for (const { outer } of this.#links) resetSocket(outer);
  }
}

function silence({ outer, inner }: Link): void {
  if (inner === undefined) return;
  outer.unpipe(inner).pause();
  inner.unpipe(outer).pause();
}
