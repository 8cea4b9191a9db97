// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { LeaseReply } from "../store-engine.ts";
import { decideLease, type LeaseRecord } from "../store-leases.ts";

/** The leases of an engine in memory. */
export class MemoryLeases {
  readonly #clock: Clock;
  readonly #byName = new Map<string, LeaseRecord>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  epoch(name: string): number {
    return this.#byName.get(name)?.epoch ?? 0;
  }

  acquire(name: string, holder: string, ttlMs: number): LeaseReply {
    const { reply, record } = decideLease(this.#byName.get(name), holder, ttlMs, this.#clock.wallMs());
    if (record !== undefined) this.#byName.set(name, record);
    return reply;
  }

  release(name: string, holder: string): boolean {
    const lease = this.#byName.get(name);
    if (lease?.holder !== holder) return false;
    this.#byName.set(name, { ...lease, holder: "", expiresAtMs: 0 });
    return true;
  }
}
