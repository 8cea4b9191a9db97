// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { LeaseReply } from "../store-engine.ts";
import { decideLease, type LeaseRecord } from "../store-leases.ts";

/** The `leases` table. The caller owns the transaction around each call. */
export class SqliteLeases {
  readonly #get: StatementSync;
  readonly #put: StatementSync;

  constructor(db: DatabaseSync) {
    this.#get = db.prepare("SELECT holder, epoch, expires_at_ms FROM leases WHERE name = ?");
    this.#put = db.prepare("INSERT OR REPLACE INTO leases (name, holder, epoch, expires_at_ms) VALUES (?, ?, ?, ?)");
  }

  load(name: string): LeaseRecord | undefined {
    const found = this.#get.get(name);
    if (found === undefined) return undefined;
    return {
      holder: String(found["holder"]),
      epoch: Number(found["epoch"]),
      expiresAtMs: Number(found["expires_at_ms"]),
    };
  }

  acquire(name: string, holder: string, ttlMs: number, nowMs: number): LeaseReply {
    const { reply, record } = decideLease(this.load(name), holder, ttlMs, nowMs);
    if (record !== undefined) this.#put.run(name, record.holder, record.epoch, record.expiresAtMs);
    return reply;
  }

  release(name: string, holder: string): boolean {
    const lease = this.load(name);
    if (lease?.holder !== holder) return false;
    this.#put.run(name, "", lease.epoch, 0);
    return true;
  }
}
