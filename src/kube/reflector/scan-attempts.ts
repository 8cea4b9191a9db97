// SPDX-License-Identifier: Apache-2.0

import type { Random } from "../../base/random.ts";
import { backoffDelayMs } from "../../base/time/backoff.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { KubeError } from "../kube-error.ts";
import type { ReflectorSettings } from "./reflector-options.ts";

/** The consequence of a failed attempt. */
export interface NextAttempt {
  /** The number of failures of this scan, including this one. */
  readonly attemptCount: number;
  readonly retryInMs: number;
  /** The scan has used all its attempts. The next attempt is the first of the next scan. */
  readonly endsScan: boolean;
}

/**
 * Counts the failed attempts of one scan (KU14). Between them it waits a backoff with full jitter. After `retryLimit`
 * failures the next scan starts at its scheduled time. The rate is therefore bounded in both directions, and a
 * reflector never gives up (N-37).
 */
export class ScanAttempts {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #settings: ReflectorSettings;
  #attemptCount = 0;
  #scanStartMs: number;

  constructor({
    clock,
    random,
    settings,
  }: { readonly clock: Clock; readonly random: Random; readonly settings: ReflectorSettings }) {
    this.#clock = clock;
    this.#random = random;
    this.#settings = settings;
    this.#scanStartMs = clock.nowMs();
  }

  /** Begins a scan, as scheduled or after a success. */
  begin(): void {
    this.#attemptCount = 0;
    this.#scanStartMs = this.#clock.nowMs();
  }

  /** Begins an attempt. The time before the first attempt is not part of the scan. */
  attempt(): void {
    if (this.#attemptCount === 0) this.#scanStartMs = this.#clock.nowMs();
  }

  /** Records a failed attempt. The delay is never shorter than the server's Retry-After. */
  fail(error: KubeError): NextAttempt {
    const { backoff, retryLimit, syncIntervalMs, minSyncIntervalMs } = this.#settings;
    const askedMs = error.retryAfterMs;
    const backoffMs = backoffDelayMs(backoff, this.#attemptCount, this.#random);
    this.#attemptCount += 1;
    const attemptCount = this.#attemptCount;
    if (attemptCount < retryLimit) return { attemptCount, retryInMs: askedMs + backoffMs, endsScan: false };
    const leftMs = this.#scanStartMs + syncIntervalMs - this.#clock.nowMs();
    this.#attemptCount = 0;
    return { attemptCount, retryInMs: Math.max(leftMs, minSyncIntervalMs, askedMs), endsScan: true };
  }
}
