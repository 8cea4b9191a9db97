// SPDX-License-Identifier: Apache-2.0
// Records refusals and failed TLS handshakes during joins. Kept in memory only: it informs the users who wait for a
// join.
import type { Clock } from "../../base/time/clock.ts";
import type { HandshakeFailure, HandshakeFault } from "../../rpc/listener/handshake-failures.ts";
import { codeTokenLifeMs } from "./join-code.ts";

/** A refused attempt of an agent. */
export interface JoinRefusal {
  /** `register`: its key was not registered. `session`: its Hello was rejected. */
  readonly stage: "register" | "session";
  readonly from: string;
  readonly sentence: string;
  readonly atMs: number;
}

/** Failed handshakes of one address, with the newest fault. */
export interface HandshakeCount {
  readonly address: string;
  readonly fault: HandshakeFault;
  readonly count: number;
  readonly atMs: number;
}

/** Joins tracked at once; the next drops the oldest. */
const maxJoinCount = 1_000;

/** Addresses whose handshakes are counted; the next drops the one with the oldest failure. Fewer fit on a screen. */
const maxAddressCount = 16;

/**
 * Keeps the newest refusal of each joining cluster, and counts failed handshakes while any join is open. Times are the
 * hub's wall clock.
 */
export class JoinObservations {
  readonly #clock: Clock;
  /** The end of each cluster's join, oldest first. */
  readonly #openUntilMs = new Map<string, number>();
  readonly #refusals = new Map<string, JoinRefusal>();
  readonly #handshakes = new Map<string, HandshakeCount>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts tracking this cluster's join, until its token expires. */
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
    this.#handshakes.delete(address); // keeps the map in the order of the newest failures
    const [leastRecent] = this.#handshakes.keys();
    if (leastRecent !== undefined && this.#handshakes.size >= maxAddressCount) this.#handshakes.delete(leastRecent);
    this.#handshakes.set(address, { address, fault, count, atMs: this.#clock.wallMs() });
    this.ring();
  }

  /** The newest refusal since this time. */
  refusalOf(cluster: string, sinceMs: number): JoinRefusal | undefined {
    const refusal = this.#refusals.get(cluster);
    return refusal !== undefined && refusal.atMs >= sinceMs ? refusal : undefined;
  }

  /** Addresses with a failure since this time, newest last. */
  handshakesSince(sinceMs: number): readonly HandshakeCount[] {
    return [...this.#handshakes.values()].filter(({ atMs }) => atMs >= sinceMs);
  }

  /** Calls the listener after each change, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notifies the listeners. */
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
