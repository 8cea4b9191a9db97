// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createHasher } from "../rows/hasher.ts";
import { type ColumnSpec, type Row, toResourceVersion, toRowHash } from "../rows/row.ts";
import { decodeRowBatch } from "./decode.ts";
import { encodeRowBatch, type RowBatchContent } from "./encode.ts";
import { absentBoolean, absentId, maxColumnCount, maxRowCount } from "./format.ts";

const hasher = await createHasher();

const web: Row = {
  namespace: "ns",
  name: "web",
  uid: "00000000-0000-4000-8000-0000000000ff",
  resourceVersion: toResourceVersion("258"),
  generation: 1,
  createdAt: 1000,
  status: "healthy",
  reason: "",
  message: "",
  labels: new Map([["app", "web"]]),
  annotations: new Map(),
  columns: new Map(),
  rowHash: toRowHash(0x0102030405060708n),
};

function encode(content: Partial<RowBatchContent>): Uint8Array {
  const empty = { resource: { group: "", resource: "pods" }, kind: "Pod", columns: [], rows: [], deletes: [] };
  return encodeRowBatch({ ...empty, ...content }, hasher);
}

function roundTrip(content: Partial<RowBatchContent>): Row[] {
  return [...decodeRowBatch(encode(content), hasher).rows()];
}

describe("bytes", () => {
  test("[CO36][CO37] a batch of one row and one delete has the bytes of the layout", () => {
    const owner = { group: "apps", kind: "ReplicaSet", name: "web", uid: "" };
    const row: Row = { ...web, owner, columns: new Map([["up", true]]) };
    const bytes = encode({
      columns: [{ name: "up", type: "boolean" }],
      rows: [row],
      deletes: [{ namespace: "ns", name: "old", uid: "" }],
    });
    const text = (value: string): number[] => [...new TextEncoder().encode(value)];
    const parts = [
      text("FLRB"),
      [1],
      // Strings, ascending: 1 Pod, 2 ReplicaSet, 3 app, 4 apps, 5 ns, 6 old, 7 pods, 8 up, 9 web; apps shares 3 bytes
      // with app.
      [9, 0, 0, 0, 3, 0, 0, 0, 0, 0, 3, 10, 3, 1, 2, 3, 4, 2, 3],
      text("PodReplicaSetappsnsoldpodsupweb"),
      // Group "", resource pods, kind Pod.
      [0, 7, 1],
      // One map of one pair: sizes of width 0 from base 1 (doubled), ids of form 0 and width 1 from their base.
      [1, 1, 0, 2, 0, 1, 6, 0, 0, 1, 18, 0],
      // No list. One owner: group apps, kind ReplicaSet, name web, uid as text: none.
      [0, 1, 0, 0, 8, 0, 0, 4, 0, 0, 18, 1, 0, 0, 0],
      // One row: hash; namespace ns; name web; uid as 16 bytes; resourceVersion 258 as a number.
      [1, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 10, 0, 0, 18],
      [0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0xff],
      [0, 0, 0x84, 0x04],
      // Generation 1; createdAt 1000; no deletedAt; status 6; no reason, no message; labels 1; annotations 0; owner 1.
      [0, 2, 0, 0xd0, 0x0f, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2],
      // One column: up, boolean, present in all rows, 1.
      [1, 8, 4, 1, 0, 2],
      // One delete: ns, old, uid as text: none.
      [1, 0, 0, 10, 0, 0, 12, 1, 0, 0, 0],
    ];
    const expected = parts.flat();
    expect([...bytes.subarray(0, -8)]).toEqual(expected);
    const check = new DataView(bytes.buffer).getBigUint64(bytes.length - 8, true);
    expect(check).toBe(hasher.hash64(Uint8Array.from(expected)));
  });

  test("[CO36] maps are numbered labels first, lists column by column, however rows share them", () => {
    const map = (text: string): Map<string, string> => new Map([[text, text]]);
    const lists = (one: string[], two: string[]): Row["columns"] =>
      new Map([
        ["one", one],
        ["two", two],
      ]);
    const bytes = encode({
      columns: [
        { name: "two", type: "stringList" },
        { name: "one", type: "stringList" },
      ],
      rows: [
        { ...web, name: "a", labels: map("x"), annotations: map("y"), columns: lists(["p"], ["q"]) },
        { ...web, name: "b", labels: map("z"), annotations: map("x"), columns: lists(["q"], ["p"]) },
        { ...web, name: "c", labels: map("y"), annotations: map("w"), columns: lists(["r"], ["p"]) },
      ],
    });
    // Recorded from the first encoder, which collected column by column.
    expect(hasher.hash64(bytes).toString(16)).toBe("72919fdb7c145f7f");
  });

  test("[CO27] a batch without rows keeps resource and kind", () => {
    const batch = decodeRowBatch(
      encode({ resource: { group: "apps", resource: "deployments" }, kind: "Deployment" }),
      hasher,
    );
    expect(batch.resource).toEqual({ group: "apps", resource: "deployments" });
    expect([batch.kind, batch.rowCount, batch.deleteCount]).toEqual(["Deployment", 0, 0]);
  });

  test("[CO27][CO8] a key may be deleted and written in one batch: another object under the same key", () => {
    const batch = decodeRowBatch(
      encode({ rows: [web], deletes: [{ namespace: "ns", name: "web", uid: "old" }] }),
      hasher,
    );
    expect([...batch.deletes()]).toEqual([{ namespace: "ns", name: "web", uid: "old" }]);
    expect([...batch.rows()].map((row) => row.uid)).toEqual([web.uid]);
  });

  test("[CO40] the hash arrives as it was sent, whatever the content", () => {
    const rows = [web, { ...web, name: "web2", rowHash: toRowHash(2n ** 64n - 1n) }];
    expect(roundTrip({ rows }).map((row) => row.rowHash)).toEqual(rows.map((row) => row.rowHash));
  });

  test("[CO36] the same bytes at another place in memory decode the same", () => {
    const bytes = encode({ rows: [web] });
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    expect([...decodeRowBatch(moved.subarray(3), hasher).rows()]).toEqual([web]);
  });
});

describe("values", () => {
  test("[CO22] tokens that only look like numbers keep their text", () => {
    for (const tokens of [["1", "007"], ["9007199254740993"], ["", "x"], ["0", "9007199254740991"]]) {
      const rows = tokens.map((token, at) => ({ ...web, name: `w${at}`, resourceVersion: toResourceVersion(token) }));
      expect(roundTrip({ rows }).map((row) => row.resourceVersion)).toEqual(tokens);
    }
  });

  test("uids that are not UUIDs, in capitals, or none keep their text", () => {
    const uids = ["", "mirror", "ABCDEF00-0000-4000-8000-0000000000ff", web.uid];
    const rows = uids.map((uid, at) => ({ ...web, name: `w${at}`, uid }));
    expect(roundTrip({ rows }).map((row) => row.uid)).toEqual(uids);
  });

  test("[CO21] times are milliseconds as reported; 0 is not the same as no deletion at all", () => {
    const rows = [
      { ...web, name: "a", createdAt: 0, deletedAt: 0 },
      { ...web, name: "b", createdAt: 1_767_225_600_123, deletedAt: 1_767_225_600_124 },
      { ...web, name: "c", createdAt: -1 },
    ];
    expect(roundTrip({ rows })).toEqual(rows);
  });

  test("[CO23] integers of any spread read back: one value, bytes, the whole range of safe integers", () => {
    const columns: ColumnSpec[] = [{ name: "n", type: "integer" }];
    const max = Number.MAX_SAFE_INTEGER;
    for (const values of [
      [7],
      [-1, 0],
      [0, 255],
      [0, 256],
      [-5, 2 ** 24],
      [0, 2 ** 32],
      [0, 2 ** 40],
      [0, 2 ** 48],
      [-max, max],
      [max, max - 1],
      [-max],
    ]) {
      const rows = values.map((value, at) => ({ ...web, name: `w${at}`, columns: new Map([["n", value]]) }));
      expect(roundTrip({ rows, columns }).map((row) => row.columns.get("n"))).toEqual(values);
    }
  });

  test("[CO23] a missing value is not an empty one", () => {
    const columns: ColumnSpec[] = [
      { name: "b", type: "boolean" },
      { name: "l", type: "stringList" },
      { name: "s", type: "string" },
      { name: "z", type: "integer" },
    ];
    const full = new Map<string, string | number | boolean | string[]>([
      ["s", ""],
      ["l", []],
      ["b", false],
      ["z", 0],
    ]);
    const rows = [
      { ...web, name: "a", columns: full },
      { ...web, name: "b" },
    ];
    const batch = decodeRowBatch(encode({ rows, columns }), hasher);
    expect([...batch.rows()].map((row) => row.columns)).toEqual([full, new Map()]);
    expect([...(batch.getColumn("s")?.values ?? [])]).toEqual([0, absentId]);
    expect([...(batch.getColumn("b")?.values ?? [])]).toEqual([0, absentBoolean]);
    expect([...(batch.getColumn("z")?.values ?? [])]).toEqual([0, Number.NaN]);
    expect(batch.getColumn("nothing")).toBeUndefined();
  });

  test("[CO25] __proto__ is a label key like others and changes nothing else", () => {
    const [row] = roundTrip({
      rows: [
        {
          ...web,
          labels: new Map([
            ["__proto__", "x"],
            ["constructor", "y"],
          ]),
        },
      ],
    });
    expect(row?.labels.get("__proto__")).toBe("x");
    expect(row?.labels.size).toBe(2);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  test("[CO26] lone surrogates read back as U+FFFD, in map keys too", () => {
    const labels = new Map([
      ["\ud800", "a"],
      ["\udc00", "b"],
      ["k", "\udfff"],
    ]);
    const [row] = roundTrip({ rows: [{ ...web, message: "\ud800!", labels }] });
    expect(row?.message).toBe("\ufffd!");
    expect(row?.labels).toEqual(
      new Map([
        ["k", "\ufffd"],
        ["\ufffd", "b"],
      ]),
    );
  });

  test("[CO29] two hundred labels, a byte order mark and a long shared beginning survive", () => {
    const labels = new Map(Array.from({ length: 200 }, (_, at) => [`${"p".repeat(300)}${at}`, `\ufeff${at}`] as const));
    expect(roundTrip({ rows: [{ ...web, labels }] })[0]?.labels).toEqual(labels);
  });

  test("[CO34] rows stay as they are when the bytes they came from are overwritten", () => {
    const bytes = encode({ rows: [web] });
    const rows = [...decodeRowBatch(bytes, hasher).rows()];
    bytes.fill(0);
    expect(rows).toEqual([web]);
  });
});

describe("refusals of the encoder", () => {
  test("[CO28] a key that comes twice is a bug, next to itself or not", () => {
    const other = { ...web, name: "a" };
    expect(() => encode({ rows: [web, web] })).toThrow("a key comes once");
    expect(() => encode({ rows: [web, other, web] })).toThrow("a key comes once");
  });

  test("[CO5] events under their second name are a bug: no reader would take the batch", () => {
    expect(() => encode({ resource: { group: "events.k8s.io", resource: "events" } })).toThrow("canonical resource");
  });

  test("[CO23] a value without a declared column, or of another type, is a bug", () => {
    const rows = [{ ...web, columns: new Map([["c", 1.5]]) }];
    expect(() => encode({ rows })).toThrow("column c is not declared");
    for (const type of ["string", "integer", "boolean", "stringList"] as const)
      expect(() => encode({ rows, columns: [{ name: "c", type }] })).toThrow(`not of type ${type}`);
    const endless = [{ ...web, columns: new Map([["c", Number.NaN]]) }];
    expect(() => encode({ rows: endless, columns: [{ name: "c", type: "float" }] })).toThrow("not of type float");
  });

  test("[CO32] more rows, deletes, columns or text than the limits are refused", () => {
    const tooMany = { rows: Array.from({ length: maxRowCount + 1 }, () => web) };
    const deletes = Array.from({ length: maxRowCount + 1 }, () => ({ namespace: "", name: "a", uid: "" }));
    const columns = Array.from(
      { length: maxColumnCount + 1 },
      (_, at): ColumnSpec => ({ name: `c${at}`, type: "float" }),
    );
    const long = { rows: [{ ...web, message: "m".repeat(65_537) }] };
    for (const content of [tooMany, { deletes }, { columns }, long])
      expect(() => encode(content)).toThrow(expect.objectContaining({ code: "TOO_LARGE" }));
  });
});
