// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createHasher } from "../../model/rows/hasher.ts";
import { statuses } from "../../model/status.ts";
import { orderTables } from "../cells/ordered-tables.ts";
import type { OrderTest, Predicate } from "../language/query-predicate.ts";
import { anyContents, anyVisibilities, cellPredicate, testColumns } from "../query/testing/any-request.ts";
import { plainRows } from "../query/testing/plain-answer.ts";
import { type FleetPlace, PlainFleet } from "../query/testing/plain-fleet.ts";
import { JoinedCounter } from "./joined-counter.ts";
import type { TableGroups } from "./table-groups.ts";

const hasher = await createHasher();
const nowMs = 5_000;

/** One cluster with four kinds, two of which have images as a column of their own. */
const places: readonly FleetPlace[] = ["apps/deployments", "apps/replicasets", "nodes", "pods"].map((resource) => ({
  fields: { cluster: "east", region: "eu", environment: "prod" },
  resource,
}));
const [, , , podsPlace] = places;

function columnsOf(resource: string): ReturnType<typeof testColumns> {
  return resource === "nodes" || resource === "apps/replicasets" ? [] : testColumns(resource);
}

const order = fc.constantFrom<OrderTest>("<", "<=", ">", ">=", "=");
const leaf: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({ kind: fc.constant("age" as const), order, ms: fc.constantFrom(1_000, 3_000, 4_000) }),
  fc.record({ kind: fc.constant("created" as const), order, atMs: fc.constantFrom(0, 1_000, 2_500, 3_000) }),
  cellPredicate,
  fc.constantFrom<Predicate>(
    { kind: "column", column: "restarts", test: { number: { order: ">", value: 1 } } },
    { kind: "image", test: { kind: "equals", text: "nginx:1.2" } },
    { kind: "resources", resources: ["nodes"] },
  ),
);
const predicate: fc.Arbitrary<Predicate> = fc.oneof(
  leaf,
  fc.record({
    kind: fc.constantFrom("and" as const, "or" as const),
    parts: fc.array(leaf, { minLength: 2, maxLength: 3 }),
  }),
  leaf.map((of) => ({ kind: "not" as const, of })),
);

/** Most clusters have times of whole seconds, and no others. */
const seconds: Readonly<Record<number, number>> = { 0: 0, 1: 1_000, 500: 2_000, 999: 3_000, 1_000: 4_000 };
const contents = fc
  .tuple(fc.array(anyContents, { minLength: 5, maxLength: 5 }), fc.boolean())
  .map(([all, isSeconds]) =>
    all.map((rows) =>
      rows.map((row) => ({ ...row, createdAt: isSeconds ? (seconds[row.createdAt] ?? 0) : row.createdAt })),
    ),
  );

type Counts = Record<string, number>;

function add(counts: Counts, key: string, count: number): void {
  if (count > 0) counts[key] = (counts[key] ?? 0) + count;
}

function countPlain(
  fleet: PlainFleet,
  filter: Predicate,
  visibilityOf: Parameters<typeof plainRows>[1]["visibilityOf"],
  isCounted: (resource: string) => boolean,
): Counts {
  const counts: Counts = {};
  const rows = plainRows(fleet.rows(), { filter, visibilityOf, nowMs, limit: 0, facets: [] });
  for (const { resource, row } of rows.filter((found) => isCounted(found.resource))) {
    add(counts, resource, 1);
    add(counts, row.status, 1);
    add(counts, `namespace ${row.namespace}`, 1);
  }
  return counts;
}

test("[QL11] [QL13] rows of kinds that are read together are counted as one by one, also after changes", () => {
  fc.assert(
    fc.property(
      contents,
      fc.array(fc.tuple(predicate, anyVisibilities(places)), { minLength: 3, maxLength: 3 }),
      (all, questions) => {
        const fleet = new PlainFleet(hasher, columnsOf);
        for (const [at, place] of places.entries()) fleet.fold(place, all[at] ?? []);
        const expectCounts = (): void => {
          for (const [filter, visibilityOf] of questions) expectPlainCounts(fleet, filter, visibilityOf);
        };
        expectCounts();
        // Rows come, change and go in one kind.
        if (podsPlace !== undefined) fleet.fold(podsPlace, all[4] ?? [], all[3]?.slice(0, 2));
        expectCounts();
      },
    ),
    { numRuns: 150 },
  );
});

function expectPlainCounts(
  fleet: PlainFleet,
  filter: Predicate,
  visibilityOf: Parameters<typeof plainRows>[1]["visibilityOf"],
): void {
  const cluster = fleet.tables.get("east");
  if (cluster === undefined) throw new Error("the fleet has the cluster");
  const counter = new JoinedCounter(filter, nowMs, fleet.tables.namespaces);
  const ordered = orderTables(cluster.tables, cluster.texts);
  const view = { ...cluster, ordered, visibilityOf: (resource: string) => visibilityOf("east", resource) };
  const groups = counter.groupsOf(view);
  if (groups === undefined) return;
  const { resources } = ordered;
  const tally = counter.count(view, groups);
  const counted: Counts = {};
  for (const [at, count] of tally.tableCounts.entries()) add(counted, resources[at] ?? "", count);
  for (const [rank, count] of tally.statusCounts.entries()) add(counted, statuses[rank] ?? "", count);
  for (const [id, count] of counter.namespaceSums.entries())
    add(counted, `namespace ${fleet.tables.namespaces.get(id)}`, count);
  const isSingle = (resource: string): boolean => groups.single.includes(resources.indexOf(resource));
  expect(counted).toEqual(countPlain(fleet, filter, visibilityOf, (resource) => !isSingle(resource)));
  expect(numbersOf(groups)).toEqual([...new Set(numbersOf(groups))]);
}

/** All tables that are read, ascending. */
function numbersOf({ groups, single }: TableGroups): readonly number[] {
  return [...groups.flatMap(({ tables }) => tables), ...single].sort((a, b) => a - b);
}
