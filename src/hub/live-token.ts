// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../base/clock.ts";
import { FlotillaError } from "../base/error.ts";
import type { TokenRecord } from "./token-record.ts";

/** Longest wait that every clock's timer takes in one go; a later expiry is waited for in several. */
const longestWaitMs = 86_400_000;

/** One token that counts, and the signal that ends whatever was opened with it. */
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

  /** Takes a newer record of the same token. What was opened with it stays open, and ends with it as before. */
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

  /** Lets go of the timer and ends nothing: the hub is closing. */
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
