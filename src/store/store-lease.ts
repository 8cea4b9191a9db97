// SPDX-License-Identifier: Apache-2.0
import type { LeaseReply } from "./store-engine.ts";

/** A lease as stored. After a release the holder is empty; the epoch stays, because it may never be given out again. */
export interface LeaseRecord {
  readonly holder: string;
  readonly epoch: number;
  readonly expiresAtMs: number;
}

/**
 * Who has a lease after `holder` asked for it (ST25). The same holder renews under its epoch, even late: as long as nobody
 * else took it in between, nothing it wrote can have been overtaken. `record` is what to store, if anything.
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
