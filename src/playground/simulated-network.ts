// SPDX-License-Identifier: Apache-2.0
import { connect, createServer, type Server, type Socket } from "node:net";
import { type ListenAddress, listenOn } from "../rpc/listener/listen.ts";
import { resetSocket } from "./reset-socket.ts";

/**
 * The simulated network of a server: `open` forwards everything, `refused` resets connections at once, `silent` accepts
 * them and forwards nothing, like a router that drops packets.
 */
export type NetworkState = "open" | "refused" | "silent";

interface Link {
  readonly outer: Socket;
  readonly inner: Socket | undefined;
}

/** A port that forwards connections to another local port while the simulated network is open. */
export class SimulatedNetwork {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #innerPort: number | undefined;
  #state: NetworkState = "open";
  /** The port on which it listens. */
  port = 0;

  private constructor() {
    this.#server = createServer((outer) => this.#accept(outer));
  }

  /** Opens the port. Rejects with LISTEN_FAILED. */
  static async open(address: ListenAddress): Promise<SimulatedNetwork> {
    const gate = new SimulatedNetwork();
    gate.port = await listenOn(gate.#server, address);
    return gate;
  }

  get state(): NetworkState {
    return this.#state;
  }

  /** Sets the port to forward to. While it is undefined, connections are refused. */
  passTo(innerPort: number | undefined): void {
    this.#innerPort = innerPort;
    if (innerPort === undefined) this.#dropAll();
  }

  /**
   * Changes the network's state. Silent connections are reset when the network opens again, since their peers have
   * given up on them or will.
   */
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
    // A vanished peer is not an error: when either side closes, both are closed.
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
