// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../../model/rows/row.ts";
import { type Status, statuses, statusRank } from "../../model/status.ts";
import { applyToModel, somePart } from "../fleet/testing/some-parts.ts";
import { hasher } from "../fleet/testing/test-fleet.ts";
import type { StatusCounts } from "./fleet-reader.ts";
import { MemoryFleetRows } from "./memory-fleet-rows.ts";

function scanCounts(rows: Iterable<Row>): StatusCounts {
  const counts = new Map<Status, number>(statuses.map((status) => [status, 0]));
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return Object.fromEntries(counts) as StatusCounts;
}

function scanWorst(rows: Iterable<Row>, status: Status, limit: number): readonly string[] {
  return [...rows]
    .filter((row) => statusRank(row.status) <= statusRank(status))
    .sort((a, b) => statusRank(a.status) - statusRank(b.status) || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

test.each([
  ["applied directly", Number.POSITIVE_INFINITY],
  ["applied to a fork", 0],
  ["loaded", undefined],
])("%s: after any parts the counts by status and the worst rows are those of a scan", (_how, directRowCount) => {
  const asked = fc.record({ status: fc.constantFrom(...statuses), limit: fc.nat({ max: 12 }) });
  fc.assert(
    fc.property(fc.array(somePart, { maxLength: 30 }), asked, (given, { status, limit }) => {
      const fleetRows = new MemoryFleetRows(hasher, directRowCount);
      const model = new Map<string, Row>();
      const expectScanned = (counts: StatusCounts): void => {
        expect(fleetRows.statusCounts("east", "pods")).toEqual(counts);
      };
      for (const [at, each] of given.entries()) {
        const before = scanCounts(model.values());
        const part = applyToModel(model, each);
        const place = { position: at + 1, receivedAtMs: at };
        if (directRowCount === undefined) fleetRows.load("east", part, place);
        else {
          const fold = fleetRows.prepare("east", [part]);
          for (const _ of fold.steps()) expectScanned(before);
          fold.commit(place);
        }
        expectScanned(scanCounts(model.values()));
        const worst = fleetRows.worstRows("east", "pods", { status, limit });
        expect(worst.map(({ name }) => name)).toEqual(scanWorst(model.values(), status, limit));
        expect(worst.map(({ rowHash }) => rowHash)).toEqual(worst.map(({ name }) => model.get(name)?.rowHash));
      }
    }),
    { numRuns: 25 },
  );
});

test("a kind that was never seen, or of a cluster that was removed, has none", () => {
  const fleetRows = new MemoryFleetRows(hasher);
  const none = scanCounts([]);
  expect(fleetRows.statusCounts("east", "pods")).toEqual(none);
  expect(fleetRows.worstRows("east", "pods", { status: "completed", limit: 10 })).toEqual([]);
  const model = new Map<string, Row>();
  const part = applyToModel(model, { upserts: [[1, 1, 1]], deletes: [], replaces: false });
  fleetRows.load("east", part, { position: 1, receivedAtMs: 0 });
  expect(fleetRows.kinds("east")).toMatchObject([{ resource: "pods", kind: "Thing", rowCount: 1 }]);
  expect(fleetRows.statusCounts("east", "pods")).not.toEqual(none);
  fleetRows.removeCluster("east");
  expect(fleetRows.statusCounts("east", "pods")).toEqual(none);
});
