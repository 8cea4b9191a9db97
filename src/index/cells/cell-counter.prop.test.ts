// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createHasher } from "../../model/rows/hasher.ts";
import { statuses } from "../../model/status.ts";
import { anyContents, anyVisibilities, cellPredicate, testColumns } from "../query/testing/any-request.ts";
import { plainRows } from "../query/testing/plain-answer.ts";
import { PlainFleet, twoClusters } from "../query/testing/plain-fleet.ts";
import { CellCounter } from "./cell-counter.ts";
import { orderTables } from "./ordered-tables.ts";

const hasher = await createHasher();
const nowMs = 1_000;
const endlessWork = { isSliceFull: false, touch: () => undefined };

/** By status, kind and namespace. */
type Counts = Record<string, number>;

function add(counts: Counts, key: string, count: number): void {
  if (count > 0) counts[key] = (counts[key] ?? 0) + count;
}

test("[QL11] [QL13] rows are counted the same by label sets and one by one", () => {
  const places = fc.tuple(anyContents, anyContents, anyContents, anyContents);
  fc.assert(
    fc.property(places, cellPredicate, anyVisibilities(twoClusters), (contents, filter, visibilityOf) => {
      const fleet = new PlainFleet(hasher, testColumns);
      for (const [at, place] of twoClusters.entries()) fleet.fold(place, contents[at] ?? []);
      const expected: Counts = {};
      for (const { cluster, resource, row } of plainRows(fleet.rows(), {
        filter,
        visibilityOf,
        nowMs,
        limit: 0,
        facets: [],
      })) {
        add(expected, `${cluster} ${resource}`, 1);
        add(expected, `${cluster} ${row.status}`, 1);
        add(expected, `namespace ${row.namespace}`, 1);
      }
      const { namespaces } = fleet.tables;
      for (const rowsPerSet of [0, Number.POSITIVE_INFINITY]) {
        const counter = CellCounter.create(filter, namespaces, endlessWork, rowsPerSet);
        if (counter === undefined) throw new Error("the predicate has cells");
        const counted: Counts = {};
        for (const id of fleet.tables.clusterIds()) {
          const cluster = fleet.tables.get(id);
          if (cluster === undefined) continue;
          const ordered = orderTables(cluster.tables, cluster.texts);
          const view = { ...cluster, ordered, visibilityOf: (resource: string) => visibilityOf(id, resource) };
          expect(counter.count(view, true)).toBe(true);
          const { tableCounts, statusCounts } = counter.tally;
          for (const [at, count] of tableCounts.entries()) add(counted, `${id} ${ordered.resources[at]}`, count);
          for (const [rank, count] of statusCounts.entries()) add(counted, `${id} ${statuses[rank]}`, count);
        }
        for (const [id, count] of counter.namespaceSums.entries())
          add(counted, `namespace ${namespaces.get(id)}`, count);
        expect(counted).toEqual(expected);
      }
    }),
    { numRuns: 300 },
  );
});
