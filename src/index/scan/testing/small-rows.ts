// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { type ColumnSpec, type RowContent, toResourceVersion } from "../../../model/rows/row.ts";
import { statuses } from "../../../model/status.ts";
import type { ColumnTest, OrderTest, Predicate, TextTest } from "../../language/query-predicate.ts";

const word = fc.constantFrom("", "a", "ab", "Ab", "b-1", "web", "BackOff", "é", "x*y");
const time = fc.constantFrom(0, 1, 500, 999, 1_000);
/** The columns of `smallContent`. */
export const smallColumns: readonly ColumnSpec[] = [
  { name: "phase", type: "string" },
  { name: "restarts", type: "integer" },
  { name: "load", type: "float" },
  { name: "ready", type: "boolean" },
  { name: "hosts", type: "stringList" },
];
/** Rows of few distinct values, so that predicates meet them. */
export const smallContent: fc.Arbitrary<RowContent> = fc.record({
  namespace: fc.constantFrom("", "a", "web"),
  name: fc.constantFrom("a", "ab", "b-1", "web", "web-2", "x-y", "system:Ab"),
  uid: fc.constantFrom("", "00000000-0000-4000-8000-000000000001"),
  resourceVersion: fc.constant(toResourceVersion("1")),
  generation: fc.constant(1),
  createdAt: time,
  status: fc.constantFrom(...statuses.slice(0, 3)),
  reason: word,
  message: word,
  labels: fc.dictionary(fc.constantFrom("app", "a"), word).map((all) => new Map(Object.entries(all))),
  annotations: fc.dictionary(fc.constantFrom("app", "b"), word).map((all) => new Map(Object.entries(all))),
  owner: fc.record({ group: fc.constant("apps"), kind: fc.constantFrom("ReplicaSet", "Job"), name: word, uid: word }),
  columns: fc
    .record(
      {
        phase: word,
        restarts: fc.integer({ min: 0, max: 3 }),
        load: fc.constantFrom(0, 0.5),
        ready: fc.boolean(),
        hosts: fc.array(word, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    )
    .map((all) => new Map(Object.entries(all))),
});

const pattern = fc.constantFrom("a", "ab", "a*", "*b", "?", "*", "web*", "x\\*y", "back", "é", "b-1", "");
const contains = pattern.map((each) => ({ kind: "contains" as const, pattern: each.toLowerCase() }));
const textTest: fc.Arbitrary<TextTest> = fc.oneof(
  word.map((text) => ({ kind: "equals" as const, text })),
  pattern.map((each) => ({ kind: "matches" as const, pattern: each })),
  contains,
);
const order = fc.constantFrom<OrderTest>("<", "<=", ">", ">=", "=");
const columnTest: fc.Arbitrary<ColumnTest> = fc.record(
  { text: textTest, number: fc.record({ order, value: fc.constantFrom(0, 0.5, 1, 2) }), boolean: fc.boolean() },
  { requiredKeys: [] },
);
const leaf: fc.Arbitrary<Predicate> = fc.oneof(
  fc.constant<Predicate>({ kind: "all" }),
  fc.record({
    kind: fc.constant("field" as const),
    field: fc.constantFrom("cluster", "region", "environment", "namespace", "name", "uid", "reason", "message"),
    test: textTest,
  }),
  fc.record({
    kind: fc.constantFrom("label" as const, "annotation" as const),
    key: fc.constantFrom("app", "a", "none"),
    test: textTest,
  }),
  fc.record({ kind: fc.constant("resources" as const), resources: fc.constantFrom(["/pods"], ["apps/deployments"]) }),
  fc.record({ kind: fc.constant("status" as const), status: fc.constantFrom(...statuses.slice(0, 4)) }),
  fc.record({ kind: fc.constant("age" as const), order, ms: time }),
  fc.record({ kind: fc.constant("created" as const), order, atMs: time }),
  fc.record({
    kind: fc.constant("owner" as const),
    ownerKind: fc.constantFrom("", "Job", "DaemonSet"),
    test: textTest,
  }),
  fc.record({
    kind: fc.constant("column" as const),
    column: fc.constantFrom("phase", "restarts", "load", "ready", "hosts", "none"),
    test: columnTest,
  }),
  fc.record({ kind: fc.constant("text" as const), test: contains }),
);
/** Any predicate over such rows. */
export const anyPredicate: fc.Arbitrary<Predicate> = fc.letrec<{ readonly predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      parts: fc.array(tie("predicate"), { minLength: 2, maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant("not" as const), of: tie("predicate") }),
  ),
})).predicate;
