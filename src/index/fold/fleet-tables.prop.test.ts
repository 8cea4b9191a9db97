// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../../model/rows/row.ts";
import { digestOf } from "../../model/rows/testing/key-digests.ts";
import { type Status, statuses, statusRank } from "../../model/status.ts";
import { compareUtf8 } from "../../model/text.ts";
import { readRow } from "../table/read-row.ts";
import { FleetTables } from "./fleet-tables.ts";
import { applyToPlainMap, podBatch, somePods } from "./testing/fold-rows.ts";

const byName = (a: Row, b: Row): number => compareUtf8(a.name, b.name);

function rowsOf(tables: FleetTables): readonly Row[] {
  return [...(tables.snapshot("east", "pods")?.rows() ?? [])];
}

/** Everything that is kept beside the rows is that of a scan over them. */
function expectScanned(tables: FleetTables, model: ReadonlyMap<string, Row>): void {
  const rows = [...model.values()].sort(byName);
  expect(rowsOf(tables)).toEqual(rows);
  expect(tables.kindDigest("east", "pods")).toEqual(digestOf(rows.map((row) => row.rowHash)));
  const counts = tables.statusCounts("east", "pods");
  for (const status of statuses) expect(counts[status]).toBe(rows.filter((row) => row.status === status).length);
  const worst = (status: Status): readonly string[] =>
    rows
      .filter((row) => statusRank(row.status) <= statusRank(status))
      .sort((a, b) => statusRank(a.status) - statusRank(b.status) || byName(a, b))
      .slice(0, 5)
      .map(({ name }) => name);
  for (const status of ["unhealthy", "unknown"] as const)
    expect(tables.worstRows("east", "pods", { status, limit: 5 }).map(({ name }) => name)).toEqual(worst(status));
}

test.each([
  ["applied directly", Number.POSITIVE_INFINITY],
  ["applied to a fork", 0],
])(
  "[N-28] %s: after any parts the tables have the rows of a plain map, and changes lead from each state to the next",
  (_how, directRowCount) => {
    const flush = fc.record({
      parts: fc.array(somePods, { minLength: 1, maxLength: 3 }),
      isDropped: fc.boolean(),
      isCompacted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(flush, { maxLength: 10 }), (flushes) => {
        const tables = new FleetTables(directRowCount);
        let model = new Map<string, Row>();
        const uids = new Map<string, string>();
        for (const [position, { parts: given, isDropped, isCompacted }] of flushes.entries()) {
          const before = rowsOf(tables);
          const next = new Map(model);
          const parts = given.map((each) => applyToPlainMap(next, each));
          const sizeBefore = tables.size("east");
          const fold = tables.prepare("east", parts, isDropped);
          for (const _ of fold.steps()) expect(tables.kindDigest("east", "pods").rowCount).toBe(before.length);
          expect(rowsOf(tables)).toEqual(before);
          if (isDropped) continue;
          const { sizeAfter } = fold;
          const changes = fold.commit({ position, receivedAtMs: position });
          model = next;
          expectScanned(tables, model);
          const size = tables.size("east");
          expect(size.bytes).toBeLessThanOrEqual(Math.max(sizeAfter.bytes, sizeBefore.bytes));
          expect(size.rowCount).toBeLessThanOrEqual(sizeAfter.rowCount);
          if (fold.changing.length === 0) expect(changes.length).toBe(0);
          for (const { kind, name, uid } of changes.list()) {
            expect(uids.get(name)).toBe(kind === "added" ? undefined : uid);
            if (kind === "removed") uids.delete(name);
            else uids.set(name, uid);
          }
          expect(uids).toEqual(new Map(Array.from(model.values(), (row) => [row.name, row.uid])));
          if (isCompacted) compact(tables);
          expectScanned(tables, model);
        }
      }),
      { numRuns: 40 },
    );
  },
);

function compact(tables: FleetTables): void {
  const compaction = tables.prepareCompaction("east");
  for (const _ of compaction?.steps() ?? []);
  compaction?.commit();
  tables.compactNamespaces();
}

test("[Q-17] rows that are folded one after another and rows that are loaded at once are the same", () => {
  fc.assert(
    fc.property(fc.array(somePods, { maxLength: 12 }), (given) => {
      const [folded, rebuilt] = [new FleetTables(), new FleetTables()];
      const model = new Map<string, Row>();
      for (const [at, each] of given.entries())
        folded.load("east", applyToPlainMap(model, each), { position: at, receivedAtMs: at });
      const rows = rowsOf(folded);
      const part = { resource: "pods", form: { kind: "delta" } as const, batch: podBatch(rows) };
      rebuilt.load("east", part, { position: 1, receivedAtMs: 1 });
      expect(rowsOf(rebuilt)).toEqual(rows);
      expect(rebuilt.kindDigest("east", "pods")).toEqual(folded.kindDigest("east", "pods"));
      expect(rebuilt.bucketDigests("east", "pods").filter(({ rowCount }) => rowCount > 0)).toEqual(
        folded.bucketDigests("east", "pods").filter(({ rowCount }) => rowCount > 0),
      );
    }),
    { numRuns: 20 },
  );
});

test("[L14] a cluster whose rows come and go takes no more memory than its rows need", () => {
  const tables = new FleetTables();
  const sizes: number[] = [];
  for (let round = 0; round < 60; round += 1) {
    const model = new Map<string, Row>();
    const upserts = Array.from({ length: 150 }, (_, at) => [round * 150 + at, 1, 1] as const);
    const part = applyToPlainMap(model, { upserts, deletes: [], replaces: false });
    const gone = Array.from({ length: round === 0 ? 0 : 150 }, (_, at) => [(round - 1) * 150 + at, 1] as const);
    const removal = applyToPlainMap(model, { upserts: [], deletes: gone, replaces: false });
    for (const each of [removal, part]) {
      const fold = tables.prepare("east", [each]);
      fold.commit({ position: round, receivedAtMs: round });
    }
    for (const cluster of tables.clusters().filter((id) => tables.isGarbageSuspected(id))) {
      const compaction = tables.prepareCompaction(cluster);
      for (const _ of compaction?.steps() ?? []);
      compaction?.commit();
    }
    sizes.push(tables.size("east").bytes);
  }
  expect(tables.rowCount("east")).toBe(150);
  expect(Math.max(...sizes.slice(30))).toBeLessThanOrEqual(Math.max(...sizes.slice(0, 30)) * 1.1);
  const table = tables.get("east")?.tables.get("pods");
  expect(table === undefined ? undefined : readRow(table, 0).message).toMatch(/^message \d+ 1$/);
});
