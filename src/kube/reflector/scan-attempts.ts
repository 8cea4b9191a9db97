// SPDX-License-Identifier: Apache-2.0
import { backoffDelayMs } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { KubeError } from "../kube-error.ts";
import type { ReflectorSettings } from "./reflector-options.ts";

/** What follows a failure. */
export interface NextAttempt {
  /** Failures of this scan, this one included. */
  readonly attemptCount: number;
  readonly retryInMs: number;
  /** The scan has used its attempts: the next one is the first of the next scan. */
  readonly endsScan: boolean;
}

/**
 * Counts the failed attempts of one scan (KU14): backoff with full jitter between them, and after `retryLimit` of them the next scan at its time, which begins anew.
 * So the pace stays bounded both ways and nothing is ever given up (N-37).
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

  /** A scan begins, by its time or after a success. */
  begin(): void {
    this.#attemptCount = 0;
    this.#scanStartMs = this.#clock.nowMs();
  }

  /** An attempt begins; time before the first one of a scan is not of the scan. */
  attempt(): void {
    if (this.#attemptCount === 0) this.#scanStartMs = this.#clock.nowMs();
  }

  /** An attempt failed. What the server asked for in Retry-After is waited in any case. */
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
