// SPDX-License-Identifier: Apache-2.0
// The simulated network: hosts by name, streams between them, and every fault a stream can meet. The rules: SI8 to
// SI18.
import { abortReason, onAbort, throwIfAborted } from "../../../src/base/abort.ts";
import { assert } from "../../../src/base/assert.ts";
import { FlotillaError } from "../../../src/base/error.ts";
import type { SeededRandom } from "../../../src/base/random.ts";
import type { AcceptStream, SessionTransport, StreamEnd } from "../../../src/session/transport.ts";
import type { Delay } from "./delay.ts";
import { type Route, type Side, SimStream, sides } from "./sim-stream.ts";
import type { Crash } from "./task.ts";
import type { World } from "./world.ts";

/** A listening endpoint. Closing it refuses new streams; accepted ones continue. */
export interface StreamListener {
  close(): void;
}

export interface SimNetworkOptions {
  /** One way, for each packet. A LAN with a bad moment now and then unless said. */
  readonly delay?: Delay;
  /** How long a dial waits for an answer. */
  readonly dialTimeoutMs?: number;
  /** Bytes under way or unread in one direction of one stream. */
  readonly windowBytes?: number;
}

/** All hosts and streams of one world. A host exists by being named. */
export class SimNetwork {
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #dialTimeoutMs: number;
  readonly #windowBytes: number;
  readonly #delay: Delay;
  readonly #delays = new Map<string, Delay>();
  readonly #streams = new Set<SimStream>();
  readonly #listeners = new Map<string, AcceptStream>();
  readonly #partitions = new Set<string>();
  readonly #downHosts = new Set<string>();
  readonly #refusingHosts = new Set<string>();
  readonly #duplicatingHosts = new Set<string>();
  readonly #readDelayMs = new Map<string, number>();
  #lastId = 0;

  constructor(world: World, options: SimNetworkOptions = {}) {
    this.#world = world;
    this.#random = world.random.fork("network");
    this.#delay = options.delay ?? { minMs: 1, maxMs: 10, spikeEvery: 50, spikeMs: 300 };
    this.#dialTimeoutMs = options.dialTimeoutMs ?? 10_000;
    this.#windowBytes = options.windowBytes ?? 64 * 1024;
    world.onClose(() => this.#close());
  }

  /** Streams with an end open or a dial under way, oldest first. */
  get streams(): readonly SimStream[] {
    return [...this.#streams].filter((stream) => stream.isAlive);
  }

  listen(host: string, service: string, accept: AcceptStream): StreamListener {
    const address = `${host}/${service}`;
    assert(!this.#listeners.has(address), `somebody listens on ${address} already`);
    this.#listeners.set(address, accept);
    return {
      close: () => {
        if (this.#listeners.get(address) === accept) this.#listeners.delete(address);
      },
    };
  }

  /** How code on host `from` reaches a service. */
  transport(route: Route): SessionTransport {
    return { dial: (signal) => this.dial(route, signal) };
  }

  async dial(route: Route, signal: AbortSignal): Promise<StreamEnd> {
    throwIfAborted(signal);
    const stream = this.#createStream(route);
    const answer = Promise.withResolvers<"opened">();
    const refuse = (error: Error): void => {
      stream.client.close();
      answer.reject(error);
    };
    const cancelTimer = this.#world.clock.setTimer(this.#dialTimeoutMs, () =>
      refuse(new FlotillaError("DEADLINE_EXCEEDED", `${route.to} did not answer within ${this.#dialTimeoutMs} ms`)),
    );
    const unlisten = onAbort(signal, () => refuse(abortReason(signal)));
    stream.onAnswer = (kind) => {
      if (kind === "refused")
        refuse(new FlotillaError("UNAVAILABLE", `${route.to} refuses streams to ${route.service}`));
      else {
        stream.client.open();
        answer.resolve(kind);
      }
    };
    stream.transmit("client", { kind: "open" });
    try {
      await answer.promise;
      return stream.client;
    } finally {
      cancelTimer();
      unlisten();
    }
  }

  /** The delay of packets between two hosts from now on; it says nothing of those under way. */
  setDelay(a: string, b: string, delay: Delay): void {
    this.#delays.set(pairOf(a, b), delay);
  }

  /** Half-open (SI13): the end of this side breaks; the other learns nothing, and nothing it sends arrives. */
  halfOpen(stream: SimStream, deadSide: Side): void {
    stream.trace("half-open");
    stream.blackHole();
    stream.breakEnd(deadSide, "broke on one side");
  }

  /** Nothing passes between two hosts until `heal`. Streams stay; what they send waits (SI14). */
  partition(a: string, b: string): void {
    this.#world.trace.add(`partition ${a} ${b}`);
    this.#partitions.add(pairOf(a, b));
  }

  heal(a: string, b: string): void {
    if (!this.#partitions.delete(pairOf(a, b))) return;
    this.#world.trace.add(`heal ${a} ${b}`);
    for (const stream of this.#streams) {
      if (pairOf(stream.route.from, stream.route.to) === pairOf(a, b)) stream.resume();
    }
  }

  /** Whether the host turns all dials down, as one without free sockets does. */
  setRefusing(host: string, isRefusing: boolean): void {
    if (isRefusing) this.#refusingHosts.add(host);
    else this.#refusingHosts.delete(host);
  }

  /** The next dial that is accepted there comes in twice: once as itself, once as a stream that nobody holds (SI16). */
  duplicateNextDial(host: string): void {
    this.#duplicatingHosts.add(host);
  }

  /** Time that readers on this host take for each message from now on; 0 = none (SI18). */
  setReadDelay(host: string, perMessageMs: number): void {
    this.#world.trace.add(`reader on ${host} takes ${perMessageMs} ms`);
    this.#readDelayMs.set(host, perMessageMs);
    for (const stream of this.#streams) {
      for (const side of sides) if (stream.host(side) === host) stream.end(side).changeReadDelay();
    }
  }

  /**
   * Takes the host's streams and listeners away from its code, at once (SI5). After a machine's crash it is down until
   * `restore`.
   */
  crash(host: string, how: Crash): void {
    this.#world.trace.add(`crash ${host} ${how}`);
    for (const address of this.#listeners.keys()) {
      if (address.startsWith(`${host}/`)) this.#listeners.delete(address);
    }
    for (const stream of this.#streams) {
      for (const side of sides) {
        if (stream.host(side) !== host || stream.end(side).state === "closed") continue;
        stream.breakEnd(side, "went down with its host");
        if (how === "process") stream.transmit(side, { kind: "reset" });
      }
    }
    if (how === "machine") this.#downHosts.add(host);
  }

  restore(host: string): void {
    this.#downHosts.delete(host);
  }

  #accept(stream: SimStream): "accepted" | "refused" {
    const { from, to, service } = stream.route;
    const accept = this.#refusingHosts.has(to) ? undefined : this.#listeners.get(`${to}/${service}`);
    if (accept === undefined) return "refused";
    stream.server.open();
    accept(stream.server, from);
    if (this.#duplicatingHosts.delete(to)) {
      const ghost = this.#createStream(stream.route);
      ghost.trace(`is the duplicate of ${stream.id}`);
      ghost.client.close();
      ghost.server.open();
      accept(ghost.server, from);
    }
    return "accepted";
  }

  #createStream(route: Route): SimStream {
    for (const old of this.#streams) if (!old.isAlive && old.packetCount === 0) this.#streams.delete(old);
    this.#lastId += 1;
    const stream = new SimStream(this.#lastId, route, {
      world: this.#world,
      random: this.#random,
      windowBytes: this.#windowBytes,
      delayBetween: ({ from, to }) => this.#delays.get(pairOf(from, to)) ?? this.#delay,
      isPartitioned: (a, b) => this.#partitions.has(pairOf(a, b)),
      isHostUp: (host) => !this.#downHosts.has(host),
      readDelayMs: (host) => this.#readDelayMs.get(host) ?? 0,
      accept: (arrived) => this.#accept(arrived),
    });
    stream.trace("dial");
    this.#streams.add(stream);
    return stream;
  }

  #close(): readonly string[] {
    const open = this.streams.flatMap((stream) =>
      sides
        .filter((side) => stream.end(side).state === "open")
        .map((side) => `the ${side} end of stream ${stream.id} on ${stream.host(side)}`),
    );
    for (const stream of this.#streams) stream.clear();
    return [...open, ...[...this.#listeners.keys()].map((address) => `a listener on ${address}`)];
  }
}

function pairOf(a: string, b: string): string {
  return a < b ? `${a}|${b}` : `${b}|${a}`;
}
