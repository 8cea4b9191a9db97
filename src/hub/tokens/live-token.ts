// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { TokenRecord } from "./token-record.ts";

/** Longest single timer; a later expiry takes several. One day is within the limit of every clock's timer. */
const longestWaitMs = 86_400_000;

/** A valid token and the signal that aborts when it ends. */
export class LiveToken {
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  #record: TokenRecord;
  #cancelTimer: CancelTimer = () => undefined;

  constructor(record: TokenRecord, clock: Clock) {
    this.#record = record;
    this.#clock = clock;
    this.#waitForExpiry();
  }

  get record(): TokenRecord {
    return this.#record;
  }

  /** Takes a newer record of the same token. The signal stays the same. */
  update(record: TokenRecord): void {
    this.#cancelTimer();
    this.#record = record;
    this.#waitForExpiry();
  }

  /** Aborts when the token is revoked or expires. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  isExpired(): boolean {
    return this.#record.expiresAtMs !== undefined && this.#record.expiresAtMs <= this.#clock.wallMs();
  }

  revoke(): void {
    this.#end("the token was revoked");
  }

  /** Cancels the timer without ending the token, for a hub that is closing. */
  forget(): void {
    this.#cancelTimer();
  }

  #waitForExpiry(): void {
    const { expiresAtMs } = this.#record;
    if (expiresAtMs === undefined) return;
    const leftMs = expiresAtMs - this.#clock.wallMs();
    if (leftMs <= 0) this.#end("the token has expired");
    else this.#cancelTimer = this.#clock.setTimer(Math.min(leftMs, longestWaitMs), () => this.#waitForExpiry());
  }

  #end(why: string): void {
    this.#cancelTimer();
    this.#ending.abort(new FlotillaError("UNAUTHENTICATED", why));
  }
}
