// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../../model/cluster-id.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { RowContent } from "../../model/rows/row.ts";
import { RowSealer } from "../../model/rows/row-sealer.ts";
import { ClusterTexts } from "../table/cluster-texts.ts";
import { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";
import { createRowFilter } from "./row-filter.ts";
import { holdsFor } from "./testing/holds-for.ts";
import { anyPredicate, smallColumns, smallContent } from "./testing/small-rows.ts";

const hasher = await createHasher();
const resource = { group: "", resource: "pods" };
const sealer = new RowSealer(parseClusterId("c1"), resource, hasher);
const fields = { cluster: "c1", region: "eu", environment: "prod" };
const nowMs = 1_000;

function tableOf(contents: readonly RowContent[]): KindTable {
  const rows = contents.map((each) => sealer.seal(each));
  const batch = decodeRowBatch(
    encodeRowBatch({ resource, kind: "Pod", columns: smallColumns, rows, deletes: [] }, hasher),
    hasher,
  );
  const table = new KindTable(new ClusterTexts());
  table.fold(batch.parts, () => undefined);
  return table;
}

test("[Q-6] a filter keeps exactly the rows for which the predicate holds, in order", () => {
  const keyOf = ({ namespace, name }: RowContent): string => `${namespace}/${name}`;
  fc.assert(
    fc.property(
      fc.uniqueArray(smallContent, { selector: keyOf, maxLength: 16 }),
      fc.array(anyPredicate, { minLength: 8, maxLength: 8 }),
      (contents, predicates) => {
        const table = tableOf(contents);
        const all = Uint32Array.from({ length: table.count }, (_, row) => row);
        for (const each of predicates) {
          const filter = createRowFilter(each, { table, resource: "/pods", fields, nowMs });
          const rows = all.slice();
          const count = filter === "all" ? table.count : filter === "none" ? 0 : filter(rows, table.count);
          const expected = [...all].filter((row) =>
            holdsFor(each, { row: readRow(table, row), resource: "/pods", fields, nowMs }),
          );
          expect([...rows.subarray(0, count)], JSON.stringify(each)).toEqual(expected);
        }
      },
    ),
    { numRuns: 150 },
  );
});
