// SPDX-License-Identifier: Apache-2.0
// How fast sessions come in (SE32), so that a hub that restarts is not run over by its own agents (L12).

/** Sessions a second unless `--admission-rate` says otherwise: 1,000 agents are back within 20 s. */
export const defaultAdmissionRate = 50;

/** Places of the last second that nobody took are still there: so many may come at once after a quiet time. */
const burstMs = 1_000;

/**
 * How long an agent is kept waiting for its place before it is told to come again: it then needs no second connection. With as long for
 * loading before it, this stays well below the 15 s that an agent waits for an answer.
 */
export const holdMs = 6_000;

/** Times told reach so far ahead at the most; beyond, agents are told this time and drawn apart by their own jitter. */
const farthestMs = 120_000;

/** An agent adds up to a fifth to the time it is told (SE12); told so much less, it comes on average when it is wanted. */
const meanLateness = 1.1;

/** `wait`: the place is taken, and is there after that time. `later`: no place is taken; come again. */
export type Turn =
  | { readonly kind: "wait"; readonly waitMs: number }
  | { readonly kind: "later"; readonly retryAfterMs: number };

/**
 * A line of places, one for each step of the rate. Whoever finds one soon enough takes it and waits. The others are told times a step
 * apart, such that the first comes when half of those who wait are gone: while any are left to come somebody waits, so no place is lost.
 */
export class Admission {
  readonly #stepMs: number;
  readonly #slackMs: number;
  #placeAtMs = Number.NEGATIVE_INFINITY;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(sessionsPerSecond: number) {
    this.#stepMs = 1_000 / sessionsPerSecond;
    this.#slackMs = Math.max(0, burstMs - this.#stepMs);
  }

  take(nowMs: number): Turn {
    const placeAtMs = this.#nextPlaceMs(nowMs);
    if (placeAtMs - nowMs > holdMs) return { kind: "later", retryAfterMs: this.retryAfterMs(nowMs) };
    this.#placeAtMs = placeAtMs + this.#stepMs;
    return { kind: "wait", waitMs: Math.max(0, placeAtMs - nowMs) };
  }

  /** When somebody comes again who takes no place now; each is told a step more than the one before. */
  retryAfterMs(nowMs: number): number {
    const roomAtMs = Math.max(this.#nextPlaceMs(nowMs) - holdMs / 2, nowMs + this.#stepMs);
    this.#toldAtMs = Math.min(Math.max(this.#toldAtMs + this.#stepMs, roomAtMs), nowMs + farthestMs);
    return Math.ceil((this.#toldAtMs - nowMs) / meanLateness);
  }

  #nextPlaceMs(nowMs: number): number {
    return Math.max(this.#placeAtMs, nowMs - this.#slackMs);
  }
}
