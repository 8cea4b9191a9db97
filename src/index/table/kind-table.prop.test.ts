// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../../model/cluster-id.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { RowBatch } from "../../model/row-batch/row-batch.ts";
import { anyColumns, anyContent, anyDelete, keyTextOf } from "../../model/row-batch/testing/any-row.ts";
import { bucketCode, parseBucketCode } from "../../model/rows/bucket.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { ColumnSpec, Row, RowContent, RowDelete } from "../../model/rows/row.ts";
import { RowSealer } from "../../model/rows/row-sealer.ts";
import { bucketOf, digestOf } from "../../model/rows/testing/key-digests.ts";
import { type Status, statuses, statusRank } from "../../model/status.ts";
import { compareUtf8 } from "../../model/text.ts";
import { type PartForm, stepRowCount, type TableSink } from "./apply-part.ts";
import { ClusterTexts } from "./cluster-texts.ts";
import { KindTable } from "./kind-table.ts";
import { readRow } from "./read-row.ts";

const hasher = await createHasher();
const resource = { group: "apps", resource: "deployments" };
const sealer = new RowSealer(parseClusterId("c1"), resource, hasher);

/** Another kind's columns: two names have other types here. */
const otherColumns: readonly ColumnSpec[] = anyColumns.map(({ name, type }) => ({
  name,
  type: type === "string" ? "integer" : type === "integer" ? "string" : type,
}));

interface GivenPart {
  readonly rows: readonly RowContent[];
  readonly deletes: readonly RowDelete[];
  /** 0: a delta. */
  readonly bucketCount: number;
  readonly hasOtherColumns: boolean;
}

const smallContent = fc.record({ of: anyContent, name: fc.constantFrom("a", "b", "c", "d", "é") });
const anyPart: fc.Arbitrary<GivenPart> = fc.record({
  rows: fc.uniqueArray(
    fc.oneof(
      anyContent,
      smallContent.map(({ of, name }) => ({ ...of, namespace: "a", name })),
    ),
    { selector: keyTextOf, maxLength: 12 },
  ),
  deletes: fc.uniqueArray(
    fc.oneof(
      anyDelete,
      fc.record({ namespace: fc.constant("a"), name: fc.constantFrom("a", "b", "é"), uid: fc.constant("") }),
    ),
    { selector: keyTextOf, maxLength: 4 },
  ),
  bucketCount: fc.constantFrom(0, 0, 1, 2, 1_024),
  hasOtherColumns: fc.boolean(),
});

function toOther(content: RowContent): RowContent {
  const columns = new Map(
    [...content.columns].map(([name, value]) => {
      const type = otherColumns.find((column) => column.name === name)?.type;
      if (type === "string") return [name, String(value)] as const;
      return type === "integer" && typeof value !== "object"
        ? ([name, String(value).length] as const)
        : ([name, value] as const);
    }),
  );
  return { ...content, columns };
}

function encode(part: GivenPart): { readonly form: PartForm; readonly batch: RowBatch } {
  const columns = part.hasOtherColumns ? otherColumns : anyColumns;
  const sealed = part.rows.map((each) => sealer.seal(part.hasOtherColumns ? toOther(each) : each));
  const [first] = sealed;
  const isDelta = part.bucketCount === 0 || first === undefined;
  const bucket = isDelta ? 0 : bucketOf(first, part.bucketCount);
  const rows = isDelta ? sealed : sealed.filter((row) => bucketOf(row, part.bucketCount) === bucket);
  const deletes = isDelta ? part.deletes : [];
  const batch = decodeRowBatch(
    encodeRowBatch({ resource, kind: "Deployment", columns, rows, deletes }, hasher),
    hasher,
  );
  return {
    form: isDelta ? { kind: "delta" } : { kind: "replace", bucket: bucketCode(part.bucketCount, bucket) },
    batch,
  };
}

/** The rules on a plain map: what changed, as the sink reports it, in no order. */
function applyToModel(model: Map<string, Row>, { form, batch }: { form: PartForm; batch: RowBatch }): string[] {
  const changes: string[] = [];
  const remove = (row: Row): void => {
    changes.push(`removed ${keyTextOf(row)} ${row.uid} ${row.status}`);
    model.delete(keyTextOf(row));
  };
  const isSame = (a: string, b: string): boolean => a === b || a === "" || b === "";
  for (const each of batch.deletes()) {
    const held = model.get(keyTextOf(each));
    if (held !== undefined && isSame(held.uid, each.uid)) remove(held);
  }
  const rows = [...batch.rows()];
  const named = new Set(rows.map(keyTextOf));
  const bucket = form.kind === "replace" ? parseBucketCode(form.bucket) : undefined;
  if (bucket !== undefined)
    for (const row of new Map(model).values())
      if (bucketOf(row, bucket.bucketCount) === bucket.bucket && !named.has(keyTextOf(row))) remove(row);
  for (const row of rows) {
    const held = model.get(keyTextOf(row));
    if (held?.rowHash === row.rowHash) continue;
    if (held !== undefined && isSame(held.uid, row.uid))
      changes.push(`changed ${keyTextOf(row)} ${row.uid} ${held.status} ${row.status}`);
    else {
      if (held !== undefined) remove(held);
      changes.push(`added ${keyTextOf(row)} ${row.uid} ${row.status}`);
    }
    model.set(keyTextOf(row), row);
  }
  return changes.sort();
}

class ChangeTexts implements TableSink {
  readonly texts: string[] = [];
  readonly #table: KindTable;

  constructor(table: KindTable) {
    this.#table = table;
  }

  added: TableSink["added"] = (parts, place) => {
    const row = rowAt(parts, place);
    this.texts.push(`added ${keyTextOf(row)} ${row.uid} ${row.status}`);
  };

  changed: TableSink["changed"] = (parts, place, oldRank) => {
    const row = rowAt(parts, place);
    this.texts.push(`changed ${keyTextOf(row)} ${row.uid} ${statuses[oldRank]} ${row.status}`);
  };

  removed: TableSink["removed"] = (_state, at) => {
    const row = readRow(this.#table, at);
    this.texts.push(`removed ${keyTextOf(row)} ${row.uid} ${row.status}`);
  };
}

function rowAt(parts: RowBatch["parts"], place: number): Row {
  return new RowBatch(parts).row(place);
}

const compareRows = (a: Row, b: Row): number => compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name);

/** The table is what the rules say: rows in key order, digests, counts, look-ups. */
function expectHolds(table: KindTable, model: ReadonlyMap<string, Row>): void {
  const rows = Array.from(table.order(), (row) => readRow(table, row));
  expect(rows).toEqual([...model.values()].sort(compareRows));
  expect(table.count).toBe(model.size);
  expect(table.digest).toEqual(digestOf(Array.from(model.values(), (row) => row.rowHash)));
  for (const status of statuses)
    expect(table.statusCount(statusRank(status))).toBe(
      [...model.values()].filter((row) => row.status === status).length,
    );
  for (const row of model.values()) {
    const found = table.findRow(row.namespace, row.name);
    expect(table.rowHash(found)).toBe(row.rowHash);
    const byUid = table.findUid(row.uid);
    expect(table.uidOf(byUid)).toBe(row.uid);
  }
  expect(table.findRow("nowhere", "none")).toBe(-1);
}

test("[Q-32] [N-28] after any parts a table holds the rows of a plain map, and each change is reported once", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyPart, fc.constantFrom("direct", "fork", "drop")), { maxLength: 8 }), (given) => {
      let table = new KindTable(new ClusterTexts());
      let model = new Map<string, Row>();
      const snapshots: (readonly [KindTable, ReadonlyMap<string, Row>])[] = [];
      for (const [each, how] of given) {
        const part = encode(each);
        snapshots.push([table.snapshot(), new Map(model)]);
        const next = new Map(model);
        const expected = applyToModel(next, part);
        expect(table.wouldChange(part)).toBe(expected.length > 0);
        const target = how === "direct" ? table : forkOf(table, part.batch.rowCount);
        const sink = new ChangeTexts(target);
        target.apply(part, sink);
        expect(sink.texts.sort()).toEqual(expected);
        expectHolds(target, next);
        if (how !== "direct") expectHolds(table, model);
        if (how === "drop") {
          table.cluster.rollback();
          expectHolds(table, model);
          continue;
        }
        [table, model] = [target, next];
        table.cluster.commit();
      }
      for (const [snapshot, then] of snapshots) expectHolds(snapshot, then);
      table.trim();
      expectHolds(table, model);
    }),
    { numRuns: 40 },
  );
});

function forkOf(table: KindTable, moreCount: number): KindTable {
  const forking = table.forkInSteps(moreCount);
  for (;;) {
    const step = forking.next();
    if (step.done === true) return step.value;
  }
}

test("[HE18] the time of trouble is that of the first row with the object's status", () => {
  const step = fc.record({
    name: fc.constantFrom("a", "b", "c"),
    uid: fc.constantFrom("1", "2"),
    status: fc.constantFrom<Status>("unhealthy", "degraded", "healthy"),
    isDeleted: fc.boolean(),
    isSettled: fc.boolean(),
    generation: fc.nat({ max: 3 }),
  });
  const [content] = fc.sample(anyContent, { seed: 1, numRuns: 1 });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 16 }), (steps) => {
      const table = new KindTable(new ClusterTexts());
      const since = new Map<string, { readonly uid: string; readonly status: Status; atMs: number | undefined }>();
      for (const [at, { name, uid, status, isDeleted, isSettled, generation }] of steps.entries()) {
        const row = { ...(content as RowContent), namespace: "a", name, uid, status, generation };
        const rows = isDeleted ? [] : [row];
        table.apply(encode({ rows, deletes: isDeleted ? [row] : [], bucketCount: 0, hasOtherColumns: false }));
        const known = since.get(name);
        if (isDeleted) {
          if (known?.uid === uid) since.delete(name);
        } else if (known?.uid !== uid || known.status !== status) since.set(name, { uid, status, atMs: undefined });
        if (!isSettled) continue;
        table.settle(at);
        for (const each of since.values()) each.atMs ??= at;
        const troubled = [...since].filter(([, each]) => each.status !== "healthy");
        for (const each of ["a", "b", "c"])
          expect(table.troubledSinceMs(table.findRow("a", each))).toBe(
            troubled.find(([other]) => other === each)?.[1].atMs,
          );
        const times = troubled.map(([, { atMs }]) => atMs ?? 0);
        expect(table.oldestTroubleMs).toBe(times.length === 0 ? undefined : Math.min(...times));
      }
    }),
    { numRuns: 100 },
  );
});

test("[HE18] a row that takes another place before the time is known gets it there", () => {
  const [content] = fc.sample(anyContent, { seed: 1, numRuns: 1 });
  const row = (name: string, status: Status): RowContent => ({
    ...(content as RowContent),
    namespace: "a",
    name,
    status,
  });
  const table = new KindTable(new ClusterTexts());
  const apply = (rows: readonly RowContent[], deletes: readonly RowDelete[]): void =>
    table.apply(encode({ rows, deletes, bucketCount: 0, hasOtherColumns: false }));
  apply([row("a", "healthy"), row("b", "unhealthy")], []);
  apply([], [row("a", "healthy")]);
  table.settle(5);
  expect([table.findRow("a", "b"), table.troubledSinceMs(0)]).toEqual([0, 5]);
});

test("rows are found by their owner's uid", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyContent, { selector: keyTextOf, maxLength: 12 }), (contents) => {
      const table = new KindTable(new ClusterTexts());
      const part = encode({ rows: contents, deletes: [], bucketCount: 0, hasOtherColumns: false });
      table.apply(part);
      for (const uid of new Set(contents.flatMap(({ owner }) => (owner === undefined ? [] : [owner.uid])))) {
        const found = table.cluster.ownerUids.find(uid).flatMap((owner) => [...table.rowsOwnedBy(owner)]);
        const expected = uid === "" ? [] : [...part.batch.rows()].filter(({ owner }) => owner?.uid === uid);
        expect(found.map((row) => readRow(table, row)).sort(compareRows)).toEqual(expected.sort(compareRows));
      }
    }),
    { numRuns: 60 },
  );
});

test("[Q-5] key order is kept in a table of many rows, of which few come and go at a time", () => {
  const [content] = fc.sample(anyContent, { seed: 1, numRuns: 1 });
  const rowOf = (number: number): RowContent => ({
    ...(content as RowContent),
    namespace: `ns-${number % 7}`,
    name: `row-${(number * 7_919) % 1_000}`,
    uid: "",
  });
  const table = new KindTable(new ClusterTexts());
  const numbers = Array.from({ length: 700 }, (_, number) => number);
  table.apply(encode({ rows: numbers.map(rowOf), deletes: [], bucketCount: 0, hasOtherColumns: false }));
  const held = new Set(numbers);
  const step = fc.record({
    added: fc.uniqueArray(fc.integer({ min: 700, max: 999 }), { maxLength: 3 }),
    removed: fc.uniqueArray(fc.nat({ max: 999 }), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4 }), (steps) => {
      for (const { added, removed } of steps) {
        const rows = added.map(rowOf);
        table.apply(encode({ rows, deletes: removed.map(rowOf), bucketCount: 0, hasOtherColumns: false }));
        for (const number of removed) held.delete(number);
        for (const number of added) held.add(number);
      }
      const keys = Array.from(table.order(), (row) => {
        const { namespace, name } = readRow(table, row);
        return `${namespace}/${name}`;
      });
      expect(keys).toEqual([...held].map((number) => keyTextOf(rowOf(number))).sort(compareUtf8));
      for (const number of held)
        expect(table.findRow(`ns-${number % 7}`, rowOf(number).name)).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 15 },
  );
});

test("[L4] a bucket that loses more rows than one step removes keeps the others", () => {
  const [content] = fc.sample(anyContent, { seed: 1, numRuns: 1 });
  const rows = Array.from({ length: 2 * stepRowCount + 500 }, (_, number) => ({
    ...(content as RowContent),
    namespace: "a",
    name: `row-${number}`,
  }));
  const table = new KindTable(new ClusterTexts());
  table.apply(encode({ rows, deletes: [], bucketCount: 0, hasOtherColumns: false }));
  const { batch } = encode({ rows: [], deletes: [], bucketCount: 0, hasOtherColumns: false });
  table.apply({ form: { kind: "replace", bucket: bucketCode(2, 1) }, batch });
  const kept = rows.filter((row) => bucketOf(row, 2) === 0).map(({ name }) => name);
  expect(rows.length - kept.length).toBeGreaterThan(stepRowCount);
  const { texts } = table.cluster;
  expect(Array.from(table.order(), (row) => texts.get(table.names.values[row] ?? 0))).toEqual(kept.sort(compareUtf8));
  for (const name of kept) expect(texts.get(table.names.values[table.findRow("a", name)] ?? 0)).toBe(name);
});
