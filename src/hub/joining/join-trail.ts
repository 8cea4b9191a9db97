// SPDX-License-Identifier: Apache-2.0
// What the hub notices of joins while they are under way: refusals, and TLS handshakes that clients broke off. In memory: it is for people who wait.
import type { Clock } from "../../base/clock.ts";
import type { HandshakeFailure, HandshakeFault } from "../../rpc/handshake-failures.ts";
import { codeTokenLifeMs } from "./join-code.ts";

/** An attempt of an agent that was refused. */
export interface JoinRefusal {
  /** `register`: its key was not registered. `session`: its Hello was rejected. */
  readonly stage: "register" | "session";
  readonly from: string;
  readonly sentence: string;
  readonly atMs: number;
}

/** Handshakes of one address that failed, and how the newest did. */
export interface HandshakeCount {
  readonly address: string;
  readonly fault: HandshakeFault;
  readonly count: number;
  readonly atMs: number;
}

/** Joins that are followed; one more and the oldest is no longer. */
const maxJoinCount = 1_000;

/** Addresses whose handshakes are counted; one more and the one that was quiet for longest is forgotten. A screen shows fewer. */
const maxAddressCount = 16;

/** Keeps the newest refusal of each cluster that is to join, and counts of broken handshakes, for as long as any join is open. Times are the hub's wall clock. */
export class JoinTrail {
  readonly #clock: Clock;
  /** When each cluster's join ends, oldest first. */
  readonly #openUntilMs = new Map<string, number>();
  readonly #refusals = new Map<string, JoinRefusal>();
  readonly #handshakes = new Map<string, HandshakeCount>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to take note of what concerns this cluster, until its join token expires. */
  open(cluster: string, createdAtMs: number): void {
    this.#dropEnded();
    const [oldest] = this.#openUntilMs.keys();
    if (oldest !== undefined && this.#openUntilMs.size >= maxJoinCount) this.#forget(oldest);
    this.#openUntilMs.set(cluster, createdAtMs + codeTokenLifeMs);
  }

  noteRefusal(cluster: string, refusal: Omit<JoinRefusal, "atMs">): void {
    this.#dropEnded();
    if (!this.#openUntilMs.has(cluster)) return;
    this.#refusals.set(cluster, { ...refusal, atMs: this.#clock.wallMs() });
    this.ring();
  }

  noteHandshake({ address, fault }: HandshakeFailure): void {
    this.#dropEnded();
    if (this.#openUntilMs.size === 0) return;
    const count = (this.#handshakes.get(address)?.count ?? 0) + 1;
    this.#handshakes.delete(address); // the map's order is that of the newest failures
    const [quietest] = this.#handshakes.keys();
    if (quietest !== undefined && this.#handshakes.size >= maxAddressCount) this.#handshakes.delete(quietest);
    this.#handshakes.set(address, { address, fault, count, atMs: this.#clock.wallMs() });
    this.ring();
  }

  /** The newest refusal since then. */
  refusalOf(cluster: string, sinceMs: number): JoinRefusal | undefined {
    const refusal = this.#refusals.get(cluster);
    return refusal !== undefined && refusal.atMs >= sinceMs ? refusal : undefined;
  }

  /** Addresses with a failure since then, the newest last. */
  handshakesSince(sinceMs: number): readonly HandshakeCount[] {
    return [...this.#handshakes.values()].filter(({ atMs }) => atMs >= sinceMs);
  }

  /** Calls back whenever something was noted; what it returns ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Has those who follow a join look again. */
  ring(): void {
    for (const listener of this.#listeners) listener();
  }

  #dropEnded(): void {
    const nowMs = this.#clock.wallMs();
    for (const [cluster, untilMs] of this.#openUntilMs) if (untilMs <= nowMs) this.#forget(cluster);
    if (this.#openUntilMs.size === 0) this.#handshakes.clear();
  }

  #forget(cluster: string): void {
    this.#openUntilMs.delete(cluster);
    this.#refusals.delete(cluster);
  }
}
