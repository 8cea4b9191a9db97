// SPDX-License-Identifier: Apache-2.0
import type { LeaseReply } from "./store-engine.ts";

/** A stored lease. A release empties the holder and keeps the epoch, which must never be assigned again. */
export interface LeaseRecord {
  readonly holder: string;
  readonly epoch: number;
  readonly expiresAtMs: number;
}

/**
 * Decides who holds a lease after a request of `holder` (ST25). The same holder renews under its epoch, even after the
 * expiry: as long as no other holder acquired it in between, its writes cannot have been overtaken. `record` is the new
 * record to store, if any.
 */
export function decideLease(
  current: LeaseRecord | undefined,
  holder: string,
  ttlMs: number,
  nowMs: number,
): { readonly reply: LeaseReply; readonly record?: LeaseRecord } {
  if (current !== undefined && current.holder !== holder && current.expiresAtMs > nowMs) {
    return { reply: { kind: "taken", holder: current.holder, expiresInMs: current.expiresAtMs - nowMs } };
  }
  const epoch = current === undefined ? 1 : current.epoch + (current.holder === holder ? 0 : 1);
  return { reply: { kind: "held", epoch, expiresInMs: ttlMs }, record: { holder, epoch, expiresAtMs: nowMs + ttlMs } };
}
