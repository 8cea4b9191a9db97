// SPDX-License-Identifier: Apache-2.0
import type { LeaseOutcome, Leases } from "./store.ts";
import type { LeaseReply, StorePort } from "./store-engine.ts";

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

/** The leases of an engine. Each call first runs `assertOpen`, which throws after the store is closed. */
export function createLeases(port: StorePort, assertOpen: () => void): Leases {
  return {
    async acquire(name, holder, ttlMs): Promise<LeaseOutcome> {
      assertOpen();
      const reply = await port.acquireLease(name, holder, ttlMs);
      return reply.kind === "held" ? { ...reply, epoch: BigInt(reply.epoch) } : reply;
    },
    async release(name, holder) {
      assertOpen();
      return port.releaseLease(name, holder);
    },
  };
}
