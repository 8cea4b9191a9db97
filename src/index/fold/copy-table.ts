// SPDX-License-Identifier: Apache-2.0
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import { copyUsed, findUsed } from "./compact-texts.ts";

/**
 * A copy of a table with other dictionaries, which get the entries that its rows use. In steps, between which the table
 * must not change and its dictionaries may only grow.
 */
export function* copyTable(table: KindTable, texts: ClusterTexts): Generator<void, KindTable, undefined> {
  const used = yield* findUsed(table.cluster, [table]);
  const { ids } = yield* copyUsed(table.cluster, used, texts);
  return yield* table.renumberInSteps(texts, ids);
}
