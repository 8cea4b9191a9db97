// SPDX-License-Identifier: Apache-2.0

import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ReflectorSettings } from "./reflector-options.ts";
import { firstPace, jitter, nextPace, type SyncBounds, type SyncPace } from "./sync-interval.ts";

interface PollOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: ReflectorSettings;
}

/** When a resource whose watch is refused is scanned, and when its watch is tried again (KU16). */
export class PollSchedule {
  readonly #options: PollOptions;
  readonly #bounds: SyncBounds;
  /** Set while watch is refused: it is not tried again before this time. */
  #untilMs: number | undefined;
  #pace: SyncPace;
  #lastDigest: string | undefined;
  #scanAtMs = 0;

  constructor(options: PollOptions) {
    this.#options = options;
    const { syncIntervalMs: baseMs, minSyncIntervalMs: minMs, maxSyncIntervalMs: maxMs } = options.settings;
    this.#bounds = { baseMs, minMs, maxMs };
    this.#pace = firstPace(this.#bounds);
  }

  get isPolling(): boolean {
    return this.#untilMs !== undefined;
  }

  get intervalMs(): number {
    return this.#pace.intervalMs;
  }

  /** The wait until the next scan; 0 or less if it is due. */
  get waitMs(): number {
    return this.#scanAtMs - this.#options.clock.nowMs();
  }

  /** Watch is refused. */
  start(): void {
    const { clock, random, settings } = this.#options;
    this.#untilMs = clock.nowMs() + jitter(settings.rewatchIntervalMs, random.next());
    this.#pace = firstPace(this.#bounds);
    this.#lastDigest = undefined;
  }

  /** The next attempt tries watch again. */
  stop(): void {
    this.#untilMs = undefined;
  }

  /** Plans what follows a complete scan: the next one, sooner if the digest has changed, or a watch. */
  noteScan(startMs: number, digest: string): void {
    const nowMs = this.#options.clock.nowMs();
    const hasChanged = this.#lastDigest !== undefined && this.#lastDigest !== digest;
    this.#lastDigest = digest;
    this.#pace = nextPace(this.#pace, hasChanged, this.#bounds);
    this.#scanAtMs = Math.max(startMs + this.#pace.intervalMs, nowMs + this.#bounds.minMs);
    if (this.#untilMs !== undefined && nowMs >= this.#untilMs) this.stop();
  }
}
