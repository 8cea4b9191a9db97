// SPDX-License-Identifier: Apache-2.0

/** `burstCount` uses at once after a pause, `perSecond` in the long run. Both are positive. */
export interface TokenRate {
  readonly burstCount: number;
  readonly perSecond: number;
}

/** Limits how often something is done, by a bucket of tokens that fills at a steady rate. Pure; starts full. */
export class TokenBucket {
  readonly #rate: TokenRate;
  #tokenCount: number;
  #filledAtMs: number | undefined;

  constructor(rate: TokenRate) {
    this.#rate = rate;
    this.#tokenCount = rate.burstCount;
  }

  /** Takes a token. False if there is none: nothing is taken. `nowMs` never decreases. */
  take(nowMs: number): boolean {
    const { burstCount, perSecond } = this.#rate;
    const passedMs = nowMs - (this.#filledAtMs ?? nowMs);
    this.#filledAtMs = nowMs;
    this.#tokenCount = Math.min(burstCount, this.#tokenCount + (passedMs * perSecond) / 1_000);
    if (this.#tokenCount < 1) return false;
    this.#tokenCount -= 1;
    return true;
  }
}
