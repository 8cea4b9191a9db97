// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../../model/cluster-id.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { ColumnSpec, RowContent } from "../../model/rows/row.ts";
import { RowSealer } from "../../model/rows/row-sealer.ts";
import { statuses } from "../../model/status.ts";
import type { ColumnTest, OrderTest, Predicate, TextTest } from "../language/query-predicate.ts";
import { ClusterTexts } from "../table/cluster-texts.ts";
import { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";
import { ScanScratch } from "./keep-rows.ts";
import { compileFilter, createRowFilter, type RowFilter } from "./row-filter.ts";
import { holdsFor } from "./testing/holds-for.ts";
import { anyPredicate, smallColumns, smallContent } from "./testing/small-rows.ts";

const hasher = await createHasher();
const resource = { group: "", resource: "pods" };
const sealer = new RowSealer(parseClusterId("c1"), resource, hasher);
const fields = { cluster: "c1", region: "eu", environment: "prod" };
const nowMs = 1_000;

const columns: readonly ColumnSpec[] = [
  ...smallColumns,
  { name: "size", type: "string" },
  { name: "ips", type: "stringList" },
  { name: "images", type: "stringList" },
  { name: "containers", type: "stringList" },
];
const typedText = fc.constantFrom(
  "250m",
  "1Gi",
  "1024Mi",
  "2",
  "v1.33.2",
  "1.9",
  "10.0.0.1",
  "10.1.0.0",
  "::1",
  "none",
);
const image = fc.constantFrom("nginx:1.2", "shop/Api:1", 'odd"name', "é/x");
const container = fc.oneof(
  image.map((each) => JSON.stringify({ name: "main", image: each })),
  fc.constantFrom('{"image":"nginx\\u003a1.2"}', '{"image":5}', "{", "nginx:1.2", '{"name":"nginx:1.2"}'),
);
const ownColumns = fc.record(
  {
    size: typedText,
    ips: fc.array(typedText, { maxLength: 2 }),
    images: fc.array(image, { maxLength: 2 }),
    containers: fc.array(container, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const content: fc.Arbitrary<RowContent> = fc
  .tuple(smallContent, ownColumns)
  .map(([of, own]) => ({ ...of, columns: new Map([...of.columns, ...Object.entries(own)]) }));

const order = fc.constantFrom<OrderTest>("<", "<=", ">", ">=", "=");
const text = fc.constant<TextTest>({ kind: "equals", text: "none" });
const typedTest: fc.Arbitrary<ColumnTest> = fc.oneof(
  fc.record({ quantity: fc.record({ order, value: fc.constantFrom(0.25, 1, 2, 2 ** 30) }) }),
  fc.record({ version: fc.record({ order, value: fc.constantFrom("1.9", "1.33.2", "v1.31") }), text }),
  fc.record({ address: fc.record({ order, value: fc.constantFrom("10.0.0.1", "10.0.0.0/8", "::1", "::/0") }), text }),
);
const imageTest: fc.Arbitrary<TextTest> = fc.oneof(
  image.map((text) => ({ kind: "equals" as const, text })),
  fc.constantFrom("nginx*", "*", "*:1", "?").map((pattern) => ({ kind: "matches" as const, pattern })),
  fc.constantFrom("api", "nginx:1", '"', "é", "").map((pattern) => ({ kind: "contains" as const, pattern })),
);
const ownPredicate: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({ kind: fc.constant("column" as const), column: fc.constantFrom("size", "ips"), test: typedTest }),
  fc.record({ kind: fc.constant("image" as const), test: imageTest }),
);
/** Several values of one field, as in `ns:in(a,b)`. */
const inPredicate: fc.Arbitrary<Predicate> = fc
  .tuple(
    fc.constantFrom("namespace" as const, "name" as const, "reason" as const, "status" as const, "app" as const),
    fc.array(fc.constantFrom("", "a", "ab", "web", "web-2"), { minLength: 2, maxLength: 3 }),
  )
  .map(([field, texts]): Predicate => {
    const tests = texts.map((each): TextTest => ({ kind: "equals", text: each }));
    const leaves = tests.map((of, at): Predicate => {
      if (field === "status") return { kind: "status", status: statuses[at] ?? "unknown" };
      return field === "app" ? { kind: "label", key: field, test: of } : { kind: "field", field, test: of };
    });
    return { kind: "or", parts: leaves };
  });
const predicate: fc.Arbitrary<Predicate> = fc.oneof(
  { weight: 2, arbitrary: inPredicate },
  { weight: 3, arbitrary: anyPredicate },
  { weight: 2, arbitrary: ownPredicate },
  {
    weight: 1,
    arbitrary: fc
      .tuple(anyPredicate, ownPredicate, fc.constantFrom("and" as const, "or" as const))
      .map(([first, second, kind]): Predicate => ({ kind: "not", of: { kind, parts: [first, second] } })),
  },
);

const keyOf = ({ namespace, name }: RowContent): string => `${namespace}/${name}`;
const contents = fc.uniqueArray(content, { selector: keyOf, maxLength: 12 });

/** Rows come in two batches, so that they are not in key order. */
function tableOf(cluster: ClusterTexts, given: readonly RowContent[]): KindTable {
  const table = new KindTable(cluster);
  for (const part of [0, 1]) {
    const rows = given.filter((_, at) => at % 2 === part).map((each) => sealer.seal(each));
    const bytes = encodeRowBatch({ resource, kind: "Pod", columns, rows, deletes: [] }, hasher);
    table.fold(decodeRowBatch(bytes, hasher).parts);
  }
  return table;
}

/** The rows that a filter keeps of these, or of every row. */
function keep(filter: RowFilter, table: KindTable, of?: readonly number[]): readonly number[] {
  const rows = new Uint32Array(table.count);
  if (of !== undefined) rows.set(of);
  const given = of?.length ?? table.count;
  if (filter === "none") return [];
  if (filter === "all") return of ?? [...rows.keys()];
  return [...rows.subarray(0, filter(rows, given, of === undefined))];
}

test("[Q-6] [QL4] [QL9] a filter keeps exactly the rows for which the predicate holds, in order", () => {
  fc.assert(
    fc.property(
      contents,
      contents,
      fc.array(predicate, { minLength: 6, maxLength: 6 }),
      (first, second, predicates) => {
        const cluster = new ClusterTexts();
        const tables = [tableOf(cluster, first), tableOf(cluster, second)];
        const scratch = new ScanScratch();
        for (const each of predicates) {
          const compiled = compileFilter(each, { texts: cluster, fields, nowMs, scratch });
          for (const table of tables) {
            const all = Array.from({ length: table.count }, (_, row) => row);
            const holds = all.map((row) =>
              holdsFor(each, { row: readRow(table, row), resource: "/pods", fields, nowMs }),
            );
            const expected = all.filter((row) => holds[row]);
            const filter = typeof compiled === "function" ? compiled(table, "/pods") : compiled;
            expect(keep(filter, table), JSON.stringify(each)).toEqual(expected);
            const some = all.filter((row) => row % 2 === 1);
            expect(keep(filter, table, some), JSON.stringify(each)).toEqual(some.filter((row) => holds[row]));
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("[Q-6] the filter of one table is that of its cluster", () => {
  fc.assert(
    fc.property(contents, anyPredicate, (given, each) => {
      const table = tableOf(new ClusterTexts(), given);
      const filter = createRowFilter(each, { table, resource: "/pods", fields, nowMs });
      const compiled = compileFilter(each, { texts: table.cluster, fields, nowMs, scratch: new ScanScratch() });
      const other = typeof compiled === "function" ? compiled(table, "/pods") : compiled;
      expect(keep(filter, table)).toEqual(keep(other, table));
    }),
    { numRuns: 30 },
  );
});
