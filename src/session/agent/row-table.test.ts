// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type Row, toResourceVersion } from "../../model/rows/row.ts";
import type { RowTable } from "./row-table.ts";
import { sampleKind, sampleRow, sampleTable } from "./testing/sample-rows.ts";

function rowsOf(table: RowTable, resource: string): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const slot of table.slotsOf(table.openKind(sampleKind(resource)))) {
    const row = table.row(slot);
    if (row !== undefined) rows.set(row.name, row);
  }
  return rows;
}

test("[L13] what is held follows what lives: rows that change and go give their bytes back", () => {
  const table = sampleTable();
  const pods = table.openKind(sampleKind("pods"));
  const expected = new Map<string, Row>();
  for (let round = 0; round < 20; round += 1)
    for (let at = 0; at < 250; at += 1) {
      // Among rows that change in every round are some that stay, so that no page dies by itself.
      const name = at % 20 === 0 ? `stays-${round}-${at}` : `pod-${at}`;
      const row = sampleRow({ name, note: `${round}-`.repeat(100 + ((at * 7 + round) % 300)) });
      pods.upsert(row);
      expected.set(row.name, row);
    }
  expect(rowsOf(table, "pods")).toEqual(expected);
  // 500 rows of about 900 bytes live, in pages of which at most half is dead and that this packer makes no smaller;
  // 5,000 were written.
  expect(table.heldBytes).toBeLessThan(24 * 65_536);
  for (const row of expected.values()) pods.delete(row, row.uid);
  for (let at = 0; at < 3_000; at += 1) {
    pods.upsert(sampleRow({ name: `short-lived-${at}` }));
    pods.delete({ namespace: "default", name: `short-lived-${at}` }, "");
  }
  expect([pods.rowCount, rowsOf(table, "pods").size]).toEqual([0, 0]);
  expect(table.heldBytes).toBeLessThan(4 * 65_536);
});

test("[L4] a list that is begun again, or never ends, removes nothing; one that ends removes what it did not hold", () => {
  const table = sampleTable();
  const pods = table.openKind(sampleKind("pods"));
  for (const name of ["a", "b", "c"]) pods.upsert(sampleRow({ name }));
  pods.beginList();
  pods.upsert(sampleRow({ name: "a" }));
  pods.beginList();
  pods.upsert(sampleRow({ name: "b" }));
  expect(rowsOf(table, "pods").size).toBe(3);
  expect(pods.endList()).toBe(2);
  expect([...rowsOf(table, "pods").keys()]).toEqual(["b"]);
});

test("[CO42] an update that changes no projected value is no change, and keeps the resourceVersion that was sent", () => {
  const table = sampleTable();
  const pods = table.openKind(sampleKind("pods"));
  const row = sampleRow({ name: "a" });
  expect(pods.upsert(row)).toBe(true);
  expect(pods.upsert({ ...row, resourceVersion: toResourceVersion("2") })).toBe(false);
  expect(rowsOf(table, "pods").get("a")?.resourceVersion).toBe("1");
});

test("a late delete of an object whose name has gone to another leaves the other", () => {
  const table = sampleTable();
  const pods = table.openKind(sampleKind("pods"));
  pods.upsert(sampleRow({ name: "a", uid: "second" }));
  expect(pods.delete({ namespace: "default", name: "a" }, "first")).toBe(false);
  expect(pods.delete({ namespace: "default", name: "a" }, "second")).toBe(true);
});

test("[L14] a row that no page takes is refused by itself, and the row known stays", () => {
  const table = sampleTable();
  const pods = table.openKind(sampleKind("pods"));
  pods.upsert(sampleRow({ name: "a" }));
  const vast = {
    ...sampleRow({ name: "a", note: "changed" }),
    resourceVersion: toResourceVersion("9".repeat(200_000)),
  };
  expect(() => pods.upsert(vast)).toThrow("default/a");
  expect(rowsOf(table, "pods").get("a")).toEqual(sampleRow({ name: "a" }));
});

test("[SE67] the row of a key is found by its key alone, and is gone with the object", () => {
  const table = sampleTable();
  const pods = table.openKind(sampleKind("pods"));
  table.openKind(sampleKind("services")).upsert(sampleRow({ name: "b" }));
  const row = sampleRow({ name: "a" });
  pods.upsert(row);
  expect(pods.get({ namespace: row.namespace, name: "a" })).toEqual(row);
  expect(pods.get({ namespace: row.namespace, name: "b" })).toBeUndefined();
  pods.delete(row, row.uid);
  expect(pods.get(row)).toBeUndefined();
});
