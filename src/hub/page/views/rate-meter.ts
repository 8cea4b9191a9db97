// SPDX-License-Identifier: Apache-2.0
import type { AppliedKind } from "../../sessions/session-events.ts";

/** Changes and bytes of a kind per second. */
export interface KindRate {
  readonly resource: string;
  readonly changesPerSecond: number;
  readonly bytesPerSecond: number;
}

/** Averaging window: long enough to smooth one flush per second. */
const windowMs = 10_000;

/** Flushes within a tenth of the window form one sample, so a kind has at most eleven. */
const sampleMs = windowMs / 10;

interface Sample {
  readonly atMs: number;
  changeCount: number;
  bytes: number;
}

/** Rates of the kinds of one cluster over the last ten seconds. */
export class RateMeter {
  readonly #samples = new Map<string, Sample[]>();
  readonly #beganMs: number;

  constructor(nowMs: number) {
    this.#beganMs = nowMs;
  }

  add(kinds: readonly AppliedKind[], nowMs: number): void {
    for (const { resource, changeCount, bytes } of kinds) {
      const samples = this.#samples.get(resource) ?? [];
      this.#samples.set(resource, samples);
      const newest = samples.at(-1);
      if (newest === undefined || nowMs - newest.atMs >= sampleMs) samples.push({ atMs: nowMs, changeCount, bytes });
      else {
        newest.changeCount += changeCount;
        newest.bytes += bytes;
      }
      while ((samples[0]?.atMs ?? nowMs) <= nowMs - windowMs) samples.shift();
    }
  }

  /** Kinds with changes, sorted by name. A meter younger than the window averages over its age, at least a second. */
  list(nowMs: number): readonly KindRate[] {
    const seconds = Math.max(1_000, Math.min(windowMs, nowMs - this.#beganMs)) / 1_000;
    const rates: KindRate[] = [];
    for (const [resource, samples] of this.#samples) {
      const recent = samples.filter(({ atMs }) => atMs > nowMs - windowMs);
      if (recent.length === 0) {
        this.#samples.delete(resource);
        continue;
      }
      const changeCount = recent.reduce((sum, sample) => sum + sample.changeCount, 0);
      const bytes = recent.reduce((sum, sample) => sum + sample.bytes, 0);
      rates.push({ resource, changesPerSecond: changeCount / seconds, bytesPerSecond: bytes / seconds });
    }
    return rates.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }
}
