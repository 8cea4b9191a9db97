// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { createSeededRandom } from "../../base/random.ts";
import { Backoff } from "../../base/time/backoff.ts";
import type { RejectName } from "./parse-response.ts";
import { retryDelayMs } from "./retry-time.ts";
import type { SessionEnding } from "./session-event.ts";

const random = createSeededRandom(1);
const createBackoff = (): Backoff => new Backoff({ firstMs: 100, factor: 2, capMs: 1_000, stableMs: 10_000 });

function delays(ending: SessionEnding): {
  readonly least: number;
  readonly most: number;
  readonly failureCount: number;
} {
  const backoff = createBackoff();
  const all = Array.from({ length: 300 }, () => retryDelayMs(ending, backoff, random));
  return { least: Math.min(...all), most: Math.max(...all), failureCount: backoff.failureCount };
}

function rejected(reason: RejectName, retryAfterMs: number): SessionEnding {
  return { kind: "rejected", reason, retryAfterMs, detail: "", wasLive: false };
}

test.each([
  { ending: rejected("ACTIVE_SESSION", 20_000), askedMs: 20_000 },
  { ending: rejected("GRACE_PERIOD", 41_000), askedMs: 41_000 },
  { ending: rejected("OVERLOADED", 700), askedMs: 700 },
  { ending: rejected("PAUSED", 0), askedMs: 60_000 },
  { ending: rejected("UNAUTHORIZED", 0), askedMs: 300_000 },
  { ending: rejected("WRONG_CLUSTER", 0), askedMs: 300_000 },
  { ending: rejected("PROTOCOL", 0), askedMs: 300_000 },
  { ending: { kind: "drained", retryAfterMs: 5_000 } as const, askedMs: 5_000 },
])("[SE12] [SE31] $ending.kind $ending.reason: after $askedMs ms and up to a fifth more", ({ ending, askedMs }) => {
  const { least, most, failureCount } = delays(ending);
  expect(least).toBeGreaterThanOrEqual(askedMs);
  expect(most).toBeLessThanOrEqual(askedMs * 1.2);
  expect(most - least).toBeGreaterThan(askedMs * 0.15);
  expect(failureCount).toBe(0);
});

test("[L12] no hub keeps an agent away for longer than an hour and a fifth", () => {
  expect(delays(rejected("OVERLOADED", 4_000_000_000)).most).toBeLessThanOrEqual(4_320_000);
});

test("[SE32] a lost stream, and a reason without a time, follow the backoff", () => {
  const lost: SessionEnding = { kind: "lost", error: new FlotillaError("UNAVAILABLE", "gone") };
  for (const ending of [lost, rejected("ACTIVE_SESSION", 0), rejected("UNSPECIFIED", 0)]) {
    const { most, failureCount } = delays(ending);
    expect(most).toBeLessThanOrEqual(1_000);
    expect(failureCount).toBe(300);
  }
});
