// SPDX-License-Identifier: Apache-2.0
// How fast sessions come in (SE32), so that a hub that restarts is not run over by its own agents (L12).

/** Sessions a second unless `--admission-rate` says otherwise: 1,000 agents are back within 20 s. */
export const defaultAdmissionRate = 50;

/** Sessions that may come at once after a quiet time, in seconds of the rate. */
const burstSeconds = 1;

/** Places promised ahead at the most; beyond, agents are told this time and drawn apart by their own jitter. */
const farthestMs = 120_000;

/**
 * A bucket of tokens, and a line of promised times: whoever finds no token is told when its own will be there, each a step
 * later than the one before, so that those turned away do not come back together.
 */
export class Admission {
  readonly #ratePerMs: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;
  #promisedAtMs: number;

  constructor(sessionsPerSecond: number, nowMs: number) {
    this.#ratePerMs = sessionsPerSecond / 1_000;
    this.#burst = Math.max(1, sessionsPerSecond * burstSeconds);
    this.#tokens = this.#burst;
    this.#atMs = nowMs;
    this.#promisedAtMs = nowMs;
  }

  /** 0: come in. Else the time after which to come again. */
  admit(nowMs: number): number {
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#atMs) * this.#ratePerMs);
    this.#atMs = nowMs;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    const firstFreeMs = nowMs + (1 - this.#tokens) / this.#ratePerMs;
    this.#promisedAtMs = Math.max(this.#promisedAtMs + 1 / this.#ratePerMs, firstFreeMs);
    if (this.#promisedAtMs > nowMs + farthestMs) this.#promisedAtMs = nowMs + farthestMs;
    return Math.ceil(this.#promisedAtMs - nowMs);
  }
}
