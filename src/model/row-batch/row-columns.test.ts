// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createHasher } from "../rows/hasher.ts";
import { type ColumnSpec, type ColumnValue, type Row, toResourceVersion, toRowHash } from "../rows/row.ts";
import { uuidText } from "../rows/uuid.ts";
import { statuses } from "../status.ts";
import { decodeRowBatch } from "./decode.ts";
import { encodeRowBatch } from "./encode.ts";
import { absentBoolean, absentId } from "./format.ts";
import { RowColumns } from "./row-columns.ts";
import type { GroupColumns, UidColumns } from "./table-columns.ts";
import { ConcatenatingArena } from "./testing/concatenating-arena.ts";

const hasher = await createHasher();

function encode(rows: readonly Row[], columns: readonly ColumnSpec[]): Uint8Array {
  return encodeRowBatch({ resource: { group: "", resource: "pods" }, kind: "Pod", columns, rows, deletes: [] }, hasher);
}

function createRow(at: number, changes: Partial<Row> = {}): Row {
  return {
    namespace: at % 2 === 0 ? "" : "ns",
    name: `web-${at}`,
    uid: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
    resourceVersion: toResourceVersion(String(1000 + at)),
    generation: at,
    createdAt: 1_700_000_000_000 + at,
    status: statuses[at % statuses.length] ?? "unknown",
    reason: `Reason${at}`,
    message: "",
    labels: new Map([
      ["app", "web"],
      ["at", String(at)],
    ]),
    annotations: at % 3 === 0 ? new Map([["note", "ü"]]) : new Map(),
    columns: new Map(),
    rowHash: toRowHash(BigInt(at) * 0x9e3779b97f4a7c15n),
    ...changes,
  };
}

const { strings, columns: grown, all } = appendThree();

/**
 * Three batches whose rows differ in form: UUIDs and not, numbers and not, columns that come, go and change their type.
 */
function appendThree(): { strings: ConcatenatingArena; columns: RowColumns; all: readonly Row[] } {
  const owner = { group: "apps", kind: "ReplicaSet", name: "web", uid: "00000000-0000-4000-8000-00000000000a" };
  const first = [1, 2, 3].map((at) =>
    createRow(at, {
      columns: new Map<string, ColumnValue>([
        ["n", at],
        ["s", `s${at}`],
      ]),
    }),
  );
  const second = [4, 5].map((at) =>
    createRow(at, {
      uid: at === 4 ? "" : "mirror",
      resourceVersion: toResourceVersion(`x${at}`),
      deletedAt: at,
      owner: { ...owner, uid: `o${at}` },
      columns: new Map<string, ColumnValue>([
        ["b", at === 4],
        ["l", ["a", "s1", String(at)]],
        ["f", at / 2],
      ]),
    }),
  );
  const third = [6, 7].map((at) =>
    createRow(at, {
      owner,
      columns: new Map<string, ColumnValue>([
        ["n", `text${at}`],
        ["l", []],
        ["s", ""],
      ]),
    }),
  );
  const batches = [
    encode(first, [
      { name: "n", type: "integer" },
      { name: "s", type: "string" },
    ]),
    encode(second, [
      { name: "b", type: "boolean" },
      { name: "l", type: "stringList" },
      { name: "f", type: "float" },
    ]),
    encode(third, [
      { name: "n", type: "string" },
      { name: "l", type: "stringList" },
      { name: "s", type: "string" },
    ]),
  ];
  const arena = new ConcatenatingArena();
  const columns = new RowColumns(arena);
  const rows: Row[] = [];
  for (const bytes of batches) {
    const batch = decodeRowBatch(bytes, hasher);
    rows.push(...batch.rows());
    batch.appendTo(columns);
    bytes.fill(0xee);
  }
  return { strings: arena, columns, all: rows };
}

function mapAt(groups: GroupColumns, id: number): Map<string, string> {
  const map = new Map<string, string>();
  for (let at = groups.ends.elements[id - 1] ?? 0; at < (groups.ends.elements[id] ?? 0); at += 1)
    map.set(strings.get(groups.keyIds.elements[at] ?? 0), strings.get(groups.ids.elements[at] ?? 0));
  return map;
}

function uidAt(uids: UidColumns, at: number): string {
  const text = uids.texts.elements[at] ?? 0;
  const bytes = uids.uuids.elements.subarray(at * 16, at * 16 + 16);
  if (text !== 0) return strings.get(text);
  return bytes.some((byte) => byte > 0) ? uuidText(bytes, 0) : "";
}

test("[CO35] appended rows stand behind one another with all fields of every row", () => {
  expect(grown.rowCount).toBe(7);
  for (const [at, row] of all.entries()) {
    const text = (ids: { readonly elements: Uint32Array }): string => strings.get(ids.elements[at] ?? 0);
    expect([text(grown.namespaceIds), text(grown.nameIds), uidAt(grown.uids, at)]).toEqual([
      row.namespace,
      row.name,
      row.uid,
    ]);
    expect([text(grown.reasonIds), text(grown.messageIds)]).toEqual([row.reason, row.message]);
    const token = grown.resourceVersionTexts.elements[at] ?? 0;
    expect(token === 0 ? String(grown.resourceVersionNumbers.elements[at]) : strings.get(token)).toBe(
      row.resourceVersion,
    );
    expect(grown.generations.elements[at]).toBe(row.generation);
    expect(grown.createdAts.elements[at]).toBe(row.createdAt);
    expect(grown.deletedAts.elements[at]).toBe(row.deletedAt ?? Number.NaN);
    expect(statuses[grown.statuses.elements[at] ?? 99]).toBe(row.status);
    expect(mapAt(grown.maps, grown.labelsIds.elements[at] ?? 0)).toEqual(row.labels);
    expect(mapAt(grown.maps, grown.annotationsIds.elements[at] ?? 0)).toEqual(row.annotations);
    const hash = (BigInt(grown.hashHighs.elements[at] ?? 0) << 32n) | BigInt(grown.hashLows.elements[at] ?? 0);
    expect(hash).toBe(row.rowHash);
  }
});

test("[CO35] owners are numbered across batches", () => {
  const owners = Array.from(grown.ownerIds.elements.subarray(0, 7), (id) =>
    id === 0
      ? undefined
      : {
          group: strings.get(grown.owners.groupIds.elements[id - 1] ?? 0),
          kind: strings.get(grown.owners.kindIds.elements[id - 1] ?? 0),
          name: strings.get(grown.owners.nameIds.elements[id - 1] ?? 0),
          uid: uidAt(grown.owners.uids, id - 1),
        },
  );
  expect(owners).toEqual(all.map((row) => row.owner));
});

test("[CO35] a column has a mark for rows and batches that lack it, and another type is another column", () => {
  const valuesOf = (name: string, type: ColumnSpec["type"]): number[] => {
    const column = grown.getColumn(name, type);
    return column === undefined ? [] : [...column.values.elements.subarray(0, column.values.length)];
  };
  const none = Number.NaN;
  expect(valuesOf("n", "integer")).toEqual([2, 1, 3, none, none, none, none]);
  expect(valuesOf("f", "float")).toEqual([none, none, none, 2, 2.5, none, none]);
  const noFlag = absentBoolean;
  expect(valuesOf("b", "boolean")).toEqual([noFlag, noFlag, noFlag, 1, 0, noFlag, noFlag]);
  const texts = (name: string): (string | undefined)[] =>
    valuesOf(name, "string").map((id) => (id === absentId ? undefined : strings.get(id)));
  const n = undefined;
  expect(texts("n")).toEqual([n, n, n, n, n, "text6", "text7"]);
  expect(texts("s")).toEqual([...all.slice(0, 3).map((row) => row.columns.get("s")), n, n, "", ""]);
  const lists = valuesOf("l", "stringList").map((id) =>
    id === absentId
      ? undefined
      : Array.from(
          grown.lists.ids.elements.subarray(grown.lists.ends.elements[id - 1] ?? 0, grown.lists.ends.elements[id]),
          (text) => strings.get(text),
        ),
  );
  expect(lists).toEqual(all.map((row) => row.columns.get("l")));
});
