// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Revision } from "../../model/revision.ts";
import { listPages } from "../../store/follow-table.ts";
import { type Key, put, type Store } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import type { Actor } from "../audit/audit-record.ts";
import type { QueryAuditEntry, QueryAuditLog } from "./query-audit.ts";
import type { QueryCounts } from "./query-limits.ts";
import { creationCountKey } from "./query-places.ts";

/** A query to be stored. */
export interface QueryCreation {
  readonly kind: "saved" | "standing";
  /** Of all queries of the kind. */
  readonly prefix: Key;
  readonly key: Key;
  readonly body: Uint8Array;
  readonly owner: string;
  /** The owner of a stored query of the kind. */
  readonly ownerOf: (id: string, body: Uint8Array) => string;
  readonly counts: QueryCounts;
  readonly entry: QueryAuditEntry;
}

/** People create queries by hand; this many conflicts in a row indicate another fault. */
const maxAttemptCount = 8;

/**
 * Stores a query within the bounds of its kind, with its audit record. Returns its revision; undefined if the key
 * exists. Every creation changes one row that it has read, so two of them cannot exceed a bound together. Throws
 * OVERLOADED at a bound.
 */
export async function commitCreation(
  { store, audit }: { readonly store: Store; readonly audit: QueryAuditLog },
  creation: QueryCreation,
  by: Actor,
): Promise<Revision | undefined> {
  const counterKey = creationCountKey(creation.kind);
  for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
    const counter = await store.get(objects, counterKey);
    if ((await store.get(objects, creation.key)) !== undefined) return undefined;
    await checkCounts(store, creation);
    const count = counter === undefined ? 0n : BigInt(new TextDecoder().decode(counter.value.body));
    const outcome = await audit.append(
      [
        put(objects, creation.key, { body: creation.body }, "absent"),
        put(objects, counterKey, { body: new TextEncoder().encode(String(count + 1n)) }, counter?.revision ?? "absent"),
      ],
      () => [creation.entry],
      by,
    );
    if (outcome.kind === "committed") return outcome.revisions[0] ?? outcome.revision;
  }
  throw new FlotillaError("CONFLICT", "queries are being created by others; try again");
}

async function checkCounts(store: Store, { kind, prefix, owner, ownerOf, counts }: QueryCreation): Promise<void> {
  let [total, own] = [0, 0];
  for await (const { rows } of listPages(store, objects, prefix)) {
    total += rows.length;
    own += rows.filter(({ key, value }) => ownerOf(key.at(-1) ?? "", value.body) === owner).length;
  }
  if (own >= counts.perOwner)
    throw new FlotillaError(
      "OVERLOADED",
      `you have ${own} ${kind} queries, the most that one user may have; delete one`,
    );
  if (total >= counts.total)
    throw new FlotillaError("OVERLOADED", `the hub has ${total} ${kind} queries, the most that it keeps; delete one`);
}
