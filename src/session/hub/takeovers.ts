// SPDX-License-Identifier: Apache-2.0

/**
 * Most takeovers of one claim within the window. A rollout or a crash loop stays below it; two copies that evict each
 * other do not.
 */
const maxCount = 10;
const windowMs = 60_000;

/**
 * Limits how often a claim passes between processes (SE42). A claim is remembered for a minute after its last takeover.
 */
export class Takeovers {
  readonly #atMs = new Map<string, number[]>();

  /** 0 if a takeover is allowed now; `note` counts it. Otherwise the time until it is allowed. */
  waitMs(claim: string, nowMs: number): number {
    const recent = this.#recent(claim, nowMs);
    const oldest = recent[recent.length - maxCount];
    return oldest === undefined ? 0 : oldest + windowMs - nowMs;
  }

  note(claim: string, nowMs: number): void {
    const recent = this.#recent(claim, nowMs);
    this.#atMs.delete(claim); // the newest stands last, so that those to be forgotten stand first
    this.#atMs.set(claim, [...recent, nowMs].slice(-maxCount));
    for (const [each, times] of this.#atMs) {
      if ((times.at(-1) ?? 0) + windowMs > nowMs) break;
      this.#atMs.delete(each);
    }
  }

  #recent(claim: string, nowMs: number): readonly number[] {
    return (this.#atMs.get(claim) ?? []).filter((atMs) => atMs + windowMs > nowMs);
  }
}
