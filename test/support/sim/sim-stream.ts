// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../../src/base/error.ts";
import type { SeededRandom } from "../../../src/base/random.ts";
import { type Delay, drawDelayMs } from "./delay.ts";
import { type Passage, Pipe } from "./pipe.ts";
import { type Packet, SimEnd } from "./sim-end.ts";
import type { World } from "./world.ts";

/** The two ends, by who dialled. */
export const sides = ["client", "server"] as const;
export type Side = (typeof sides)[number];

/** Who talks to whom, under which name. */
export interface Route {
  readonly from: string;
  readonly to: string;
  readonly service: string;
}

/** What a stream asks of the network it runs over. */
export interface Surroundings {
  readonly world: World;
  readonly random: SeededRandom;
  readonly windowBytes: number;
  delayBetween(route: Route): Delay;
  isPartitioned(a: string, b: string): boolean;
  isHostUp(host: string): boolean;
  readDelayMs(host: string): number;
  /** The dial has reached its host: accept it, or say that nobody does. */
  accept(stream: SimStream): "accepted" | "refused";
}

/**
 * One stream: two ends and a pipe in each direction. A packet that comes to an end which is not there any more is
 * answered with a reset if its host is up, and is lost if the host is down (SI17).
 */
export class SimStream {
  readonly id: number;
  readonly route: Route;
  readonly client: SimEnd;
  readonly server: SimEnd;
  /** The network learns here how the dial ended. */
  onAnswer: (answer: "opened" | "refused") => void = () => undefined;
  readonly #around: Surroundings;
  readonly #pipes: Readonly<Record<Side, Pipe<Packet>>>;
  #isBlackHole = false;

  constructor(id: number, route: Route, around: Surroundings) {
    this.id = id;
    this.route = route;
    this.#around = around;
    this.client = this.#createEnd("client");
    this.server = this.#createEnd("server");
    this.#pipes = { client: this.#createPipe("client"), server: this.#createPipe("server") };
  }

  /** True while an end is open or a dial is under way. */
  get isAlive(): boolean {
    return this.client.state !== "closed" || this.server.state === "open";
  }

  /** Packets under way. */
  get packetCount(): number {
    return this.#pipes.client.length + this.#pipes.server.length;
  }

  end(side: Side): SimEnd {
    return side === "client" ? this.client : this.server;
  }

  host(side: Side): string {
    return side === "client" ? this.route.from : this.route.to;
  }

  /** Sends a packet from this side. */
  transmit(side: Side, packet: Packet): void {
    if (!this.#isBlackHole) this.#pipes[side].push(packet);
  }

  /** From now on nothing that is sent arrives, for ever, and neither end learns of it (SI12). */
  blackHole(): void {
    this.#isBlackHole = true;
    this.clear();
    this.trace("black hole");
  }

  /** Both ends see it break, at this moment (SI11). */
  cut(): void {
    this.clear();
    this.trace("cut");
    for (const side of sides) this.breakEnd(side, "was cut");
  }

  /** One end sees it break, at this moment; the other is told nothing. */
  breakEnd(side: Side, how: string): void {
    this.end(side).fail(new FlotillaError("UNAVAILABLE", `the stream ${this.#name} ${how}`));
  }

  /** The partition is over: held packets set out again. */
  resume(): void {
    this.#pipes.client.resume();
    this.#pipes.server.resume();
  }

  /** Loses all packets under way. */
  clear(): void {
    this.#pipes.client.clear();
    this.#pipes.server.clear();
  }

  trace(what: string): void {
    this.#around.world.trace.add(`stream ${this.id} ${this.#name} ${what}`);
  }

  get #name(): string {
    return `${this.route.from} to ${this.route.to}/${this.route.service}`;
  }

  #createEnd(side: Side): SimEnd {
    return new SimEnd({
      clock: this.#around.world.clock,
      name: this.#name,
      windowBytes: this.#around.windowBytes,
      transmit: (packet) => this.transmit(side, packet),
      readDelayMs: () => this.#around.readDelayMs(this.host(side)),
    });
  }

  #createPipe(from: Side): Pipe<Packet> {
    const random = this.#around.random.fork(`stream ${this.id} from ${from}`);
    const to: Side = from === "client" ? "server" : "client";
    return new Pipe({
      clock: this.#around.world.clock,
      dueMs: (nowMs, lastDueMs) =>
        Math.max(lastDueMs, nowMs + drawDelayMs(this.#around.delayBetween(this.route), random)),
      passage: (packet) => this.#passage(packet),
      deliver: (packet) => this.#deliver(to, packet),
    });
  }

  // Whatever must arrive is sent again until it does; a reset is sent once (SI14).
  #passage(packet: Packet): Passage {
    if (!this.#around.isPartitioned(this.route.from, this.route.to)) return "pass";
    return packet.kind === "reset" ? "drop" : "hold";
  }

  #deliver(to: Side, packet: Packet): void {
    const end = this.end(to);
    if (!this.#around.isHostUp(this.host(to))) return;
    if (packet.kind !== "credit") this.trace(`${to} gets ${describePacket(packet)}`);
    if (packet.kind === "open") {
      const answer = this.#around.accept(this);
      this.transmit(to, { kind: answer === "accepted" ? "opened" : "refused" });
    } else if (end.state === "dialling" && (packet.kind === "opened" || packet.kind === "refused")) {
      this.onAnswer(packet.kind);
    } else if (end.state === "open") {
      end.take(packet);
    } else if (packet.kind !== "reset" && packet.kind !== "refused") {
      this.transmit(to, { kind: "reset" });
    }
  }
}

function describePacket(packet: Packet): string {
  return packet.kind === "message" ? `message of ${packet.bytes.length}` : packet.kind;
}
