// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../../model/cluster-id.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import { toResourceVersion } from "../../model/rows/row.ts";
import { RowSealer } from "../../model/rows/row-sealer.ts";
import { isVisible } from "../../rbac/visibility.ts";
import { ClusterTexts } from "../table/cluster-texts.ts";
import { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";
import { anyVisibility, someName, someNamespace } from "./testing/any-visibility.ts";
import { createVisibleFilter } from "./visible-rows.ts";

const hasher = await createHasher();
const resource = { group: "", resource: "namespaces" };
const sealer = new RowSealer(parseClusterId("c1"), resource, hasher);

const key = fc.record({ namespace: fc.oneof(fc.constant(""), someNamespace), name: someName });
const keys = fc.uniqueArray(key, { selector: (each) => `${each.namespace}/${each.name}`, maxLength: 8 });
type Key = typeof key extends fc.Arbitrary<infer Value> ? Value : never;

function fold(table: KindTable, given: readonly Key[]): void {
  const rows = given.map((each) =>
    sealer.seal({
      ...each,
      uid: "",
      resourceVersion: toResourceVersion("1"),
      generation: 1,
      createdAt: 0,
      status: "healthy",
      reason: "",
      message: "",
      labels: new Map(),
      annotations: new Map(),
      columns: new Map(),
    }),
  );
  const content = { resource, kind: "Namespace", columns: [], rows, deletes: [] };
  table.fold(decodeRowBatch(encodeRowBatch(content, hasher), hasher).parts);
}

test("[Q-8] [L17] the scan keeps exactly the rows that the rules make visible, also after new rows came", () => {
  fc.assert(
    fc.property(fc.array(keys, { minLength: 1, maxLength: 3 }), anyVisibility, (batches, allowed) => {
      const table = new KindTable(new ClusterTexts());
      for (const batch of batches) {
        fold(table, batch);
        const all = Array.from({ length: table.count }, (_, row) => row);
        const expected = all.filter((row) => {
          const shown = readRow(table, row);
          return isVisible(allowed, shown.namespace, shown.name);
        });
        const filter = createVisibleFilter(table, allowed);
        for (const isEvery of [true, false]) {
          const kept = isEvery ? new Uint32Array(table.count) : Uint32Array.from(all);
          if (filter === "all") kept.set(all);
          const count = filter === "all" ? table.count : filter === "none" ? 0 : filter(kept, table.count, isEvery);
          expect([...kept.subarray(0, count)]).toEqual(expected);
        }
      }
    }),
    { numRuns: 200 },
  );
});
