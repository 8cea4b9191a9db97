// SPDX-License-Identifier: Apache-2.0
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import type { ManualClock } from "../../../base/testing/manual-clock.ts";
import { createStore } from "../../../store/create-store.ts";
import type { Store } from "../../../store/store.ts";
import { MemoryEngine } from "../../../store/testing/memory-engine.ts";
import type { Actor } from "../../audit/audit-record.ts";
import type { QueryAuditEntry, QueryAuditLog } from "../query-audit.ts";

/** A store in memory, without bookmarks on the clock. */
export function openQueryStore(clock: ManualClock): Promise<Store> {
  const engine = new MemoryEngine({ clock, storeId: "st_test" });
  return createStore(createInThreadPort(engine), { clock, bookmarkMs: 365 * 86_400_000 });
}

/** An audit log that keeps the entries of commits that succeeded. */
export class RecordedAudit implements QueryAuditLog {
  readonly entries: (QueryAuditEntry & { readonly by: string })[] = [];
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  append: QueryAuditLog["append"] = async (writes, describe, actor: Actor, { fence } = {}) => {
    const outcome = await this.#store.commit(writes, fence === undefined ? {} : { fence });
    if (outcome.kind === "committed") for (const entry of describe()) this.entries.push({ ...entry, by: actor.user });
    return outcome;
  };
}

export const testActor: Actor = { user: "ann", tokenId: "tok_1", address: "", requestId: "req_1" };
