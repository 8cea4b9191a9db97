// SPDX-License-Identifier: Apache-2.0

/** Processes that may follow each other on one claim within the window: a rollout and a crash loop stay below, two copies that push each other out do not. */
const maxCount = 10;
const windowMs = 60_000;

/** Bounds how often a claim goes from one process to another (SE42). A claim is remembered for a minute after its last takeover. */
export class Takeovers {
  readonly #atMs = new Map<string, number[]>();

  /** 0: it may; it is counted with `note`. Else how long until it may. */
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
