// SPDX-License-Identifier: Apache-2.0
import type { AppliedKind } from "../fleet/fleet-observer.ts";

/** What a kind brings in a second. */
export interface KindRate {
  readonly resource: string;
  readonly changesPerSecond: number;
  readonly bytesPerSecond: number;
}

/** Over how long a rate is taken: long enough that a flush a second is a steady number. */
const windowMs = 10_000;

/** Flushes within a tenth of the window are one sample, so that a kind has at most eleven. */
const sampleMs = windowMs / 10;

interface Sample {
  readonly atMs: number;
  changeCount: number;
  bytes: number;
}

/** What the kinds of one cluster bring, of the last ten seconds. */
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

  /** Kinds that brought something, in order of their names. A meter that is younger than the window counts over its age, a second at the least. */
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
