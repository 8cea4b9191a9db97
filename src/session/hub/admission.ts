// SPDX-License-Identifier: Apache-2.0
// Limits the rate at which sessions are accepted (SE32), so that agents do not overload a hub that restarts (L12).

/** Sessions a second unless `--admission-rate` is set: 1,000 agents are back within 20 s. */
export const defaultAdmissionRate = 50;

/** Unused places of the last second stay available: that many sessions may be accepted at once after a quiet time. */
const burstMs = 1_000;

/**
 * Longest wait of an agent for its place before it is asked to retry; waiting needs no second connection. With as long
 * for loading before it, this stays well below the 15 s that an agent waits for an answer.
 */
export const holdMs = 6_000;

/** Latest retry time. Beyond it agents get this time and are spread by their own jitter. */
const farthestMs = 120_000;

/**
 * An agent adds up to a fifth to its retry time (SE12), a tenth on average. The time is divided by this, so that agents
 * arrive on average as planned.
 */
const meanLateness = 1.1;

/** `wait`: a place was taken and is due after `waitMs`. `later`: no place was taken; retry after `retryAfterMs`. */
export type Turn =
  | { readonly kind: "wait"; readonly waitMs: number }
  | { readonly kind: "later"; readonly retryAfterMs: number };

/**
 * A queue of places, one for each step of the rate. An agent whose place is due within `holdMs` takes it and waits.
 * Other agents get retry times one step apart; the first of these is due when half of the waiting agents are admitted.
 * So some agent is always waiting while others are still to come, and no place is lost.
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

  /** The retry time of an agent that gets no place now; one step after the previous one, within the limit. */
  retryAfterMs(nowMs: number): number {
    const roomAtMs = Math.max(this.#nextPlaceMs(nowMs) - holdMs / 2, nowMs + this.#stepMs);
    this.#toldAtMs = Math.min(Math.max(this.#toldAtMs + this.#stepMs, roomAtMs), nowMs + farthestMs);
    return Math.ceil((this.#toldAtMs - nowMs) / meanLateness);
  }

  #nextPlaceMs(nowMs: number): number {
    return Math.max(this.#placeAtMs, nowMs - this.#slackMs);
  }
}
