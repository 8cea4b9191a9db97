// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../../model/rows/row.ts";
import { digestOf } from "../../model/rows/testing/key-digests.ts";
import { applyToModel, somePart } from "../fleet/testing/some-parts.ts";
import { hasher } from "../fleet/testing/test-fleet.ts";
import { MemoryFleetRows } from "./memory-fleet-rows.ts";

function hashesOf(rows: Iterable<Row>): readonly bigint[] {
  return Array.from(rows, ({ rowHash }) => rowHash).sort((a, b) => (a < b ? -1 : 1));
}

test.each([
  ["applied directly", Number.POSITIVE_INFINITY],
  ["applied to a fork", 0],
])(
  "[N-28] %s: after any parts the picture holds the rows of a plain map, its digest too, and changes lead from each state to the next",
  (_how, directRowCount) => {
    fc.assert(
      fc.property(fc.array(fc.array(somePart, { minLength: 1, maxLength: 3 }), { maxLength: 15 }), (flushes) => {
        const fleetRows = new MemoryFleetRows(hasher, directRowCount);
        const model = new Map<string, Row>();
        const uids = new Map<string, string>();
        for (const [position, steps] of flushes.entries()) {
          const shown = [...model.values()];
          const before = hashesOf(shown);
          const parts = steps.map((each) => applyToModel(model, each));
          const fold = fleetRows.prepare("east", parts);
          for (const _ of fold.steps()) {
            expect(hashesOf(fleetRows.snapshot("east", "pods")?.rows() ?? [])).toEqual(before);
            expect(shown.map((row) => fleetRows.getRow("east", "pods", row)?.rowHash)).toEqual(
              shown.map(({ rowHash }) => rowHash),
            );
          }
          const changes = fold.commit({ position, receivedAtMs: position }).list();
          const rows = [...(fleetRows.snapshot("east", "pods")?.rows() ?? [])];
          expect(hashesOf(rows)).toEqual(hashesOf(model.values()));
          expect(fleetRows.kindDigest("east", "pods")).toEqual(
            digestOf(Array.from(model.values(), (row) => row.rowHash)),
          );
          if (changes.length === 0) expect(hashesOf(rows)).toEqual(before);
          if (fold.changing.length === 0) expect(changes).toEqual([]);
          for (const { kind, name, uid } of changes) {
            expect(uids.get(name)).toBe(kind === "added" ? undefined : uid);
            if (kind === "removed") uids.delete(name);
            else uids.set(name, uid);
          }
          expect(uids).toEqual(new Map(Array.from(model.values(), (row) => [row.name, row.uid])));
        }
      }),
      { numRuns: 40 },
    );
  },
);
