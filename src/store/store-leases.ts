// SPDX-License-Identifier: Apache-2.0
import type { LeaseOutcome, Leases } from "./store.ts";
import type { StorePort } from "./store-engine.ts";

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
