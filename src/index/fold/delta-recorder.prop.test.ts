// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../../model/rows/row.ts";
import { FleetTables } from "./fleet-tables.ts";
import type { TableDelta } from "./table-delta.ts";
import { applyToPlainMap, podBatch, podRow, somePods } from "./testing/fold-rows.ts";

/** Tables, and the deltas that they reported last. */
function openTables() {
  const tables = new FleetTables();
  const reported: TableDelta[] = [];
  const sink = { wantsDeltas: true, noteDelta: (delta: TableDelta) => void reported.push(delta) };
  tables.reportDeltas(sink);
  const tableOf = () => tables.get("east")?.tables.get("pods");
  return { tables, reported, sink, tableOf };
}

const keyOf = ({ namespace, name }: Row): string => `${namespace}/${name}`;

test("[QL18] the deltas of flushes lead from the rows before to the rows after, and name each object once", () => {
  fc.assert(
    fc.property(fc.array(fc.array(somePods, { minLength: 1, maxLength: 3 }), { maxLength: 10 }), (flushes) => {
      const { tables, reported, tableOf } = openTables();
      const model = new Map<string, Row>();
      let [replayed, version] = [new Map<string, Row>(), 0];
      for (const [position, given] of flushes.entries()) {
        const parts = given.map((each) => applyToPlainMap(model, each));
        const fold = tables.prepare("east", parts);
        for (const _ of fold.steps());
        fold.commit({ position, receivedAtMs: position });
        const table = tableOf();
        const rows = new Map(Array.from(tables.snapshot("east", "pods")?.rows() ?? [], (row) => [keyOf(row), row]));
        // A flush of which a part replaces a bucket is not reported: the version tells that there is a gap.
        if (fold.changing.some(({ form }) => form.kind === "replace")) {
          expect(reported).toEqual([]);
          replayed = rows;
        }
        for (const { fromVersion, toVersion, changes } of reported.splice(0)) {
          expect([fromVersion, toVersion]).toEqual([version, table?.version]);
          expect(
            new Set(changes.map(({ before, after }) => keyOf((before ?? after)?.row ?? podRow({ name: "" })))).size,
          ).toBe(changes.length);
          for (const { before, after } of changes) {
            if (before !== undefined) {
              expect(replayed.get(keyOf(before.row))).toEqual(before.row);
              replayed.delete(keyOf(before.row));
            }
            if (after === undefined) continue;
            replayed.set(keyOf(after.row), after.row);
            expect(after.troubledSinceMs).toBe(tables.troubledSinceMs("east", "pods", after.row));
          }
        }
        expect(replayed).toEqual(rows);
        version = table?.version ?? 0;
      }
    }),
    { numRuns: 100 },
  );
});

test("[QL18] a large flush is not reported, nor any while nobody wants deltas", () => {
  const { tables, reported, sink } = openTables();
  const flush = (count: number, status: "healthy" | "unhealthy"): void => {
    const rows = Array.from({ length: count }, (_, at) => podRow({ name: `p${String(at).padStart(3, "0")}`, status }));
    const part = { resource: "pods", form: { kind: "delta" as const }, batch: podBatch(rows) };
    tables.prepare("east", [part]).commit({ position: 1, receivedAtMs: 1 });
  };
  flush(256, "healthy");
  expect(reported.map(({ changes }) => changes.length)).toEqual([256]);
  flush(257, "unhealthy");
  sink.wantsDeltas = false;
  flush(1, "healthy");
  expect(reported).toHaveLength(1);
});

test("[QL19] [L13] the size of a delta counts what its rows hold, once for what a change leaves as it is", () => {
  const { tables, reported } = openTables();
  const message = "x".repeat(10_000);
  for (const object of [
    { message },
    { message, phase: "y".repeat(10_000) },
    { phase: "y".repeat(10_000), replicas: 2 },
  ]) {
    const part = {
      resource: "pods",
      form: { kind: "delta" as const },
      batch: podBatch([podRow({ name: "a", ...object })]),
    };
    tables.prepare("east", [part]).commit({ position: 1, receivedAtMs: 1 });
  }
  const [first = 0, second = 0, third = 0] = reported.map(({ sizeBytes }) => sizeBytes);
  expect(first).toBeGreaterThan(10_000);
  expect(second).toBeGreaterThan(30_000);
  // The phase is that of the row before, the message is gone.
  expect(third).toBeGreaterThan(20_000);
  expect(third).toBeLessThan(23_000);
});
