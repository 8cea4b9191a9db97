// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../../../src/base/random.ts";

/**
 * How long something takes: evenly between two bounds, and now and then much longer. Whole milliseconds, so that seeds
 * replay anywhere.
 */
export interface Delay {
  readonly minMs: number;
  readonly maxMs: number;
  /** One draw in this many lasts up to `spikeMs`; 0 = never. */
  readonly spikeEvery?: number;
  readonly spikeMs?: number;
}

/** One draw of it. */
export function drawDelayMs({ minMs, maxMs, spikeEvery = 0, spikeMs = maxMs }: Delay, random: Random): number {
  const isSpike = spikeEvery > 0 && random.int(spikeEvery) === 0;
  return minMs + random.int((isSpike ? spikeMs : maxMs) - minMs + 1);
}
