// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sessionBucketCount } from "../../model/rows/bucket.ts";
import type { Row } from "../../model/rows/row.ts";
import { bucketOf, digestOf } from "../../model/rows/testing/key-digests.ts";
import type { RowTable } from "./row-table.ts";
import { sentBuckets, sentKinds, sentRoot } from "./sent-digests.ts";
import { sampleKind, sampleRow, sampleTable } from "./testing/sample-rows.ts";

const resources = ["pods", "services", "apps/deployments"] as const;
const names = ["a", "b", "c", "d", "__proto__", "constructor"] as const;
const key = {
  resource: fc.constantFrom(...resources),
  namespace: fc.constantFrom("", "n1", "n2"),
  name: fc.constantFrom(...names),
};

type Command =
  | { kind: "upsert"; resource: string; namespace: string; name: string; uid: string; note: string }
  | { kind: "delete"; resource: string; namespace: string; name: string; uid: string }
  | { kind: "begin" | "end" | "markSent"; resource: string };

const uid = fc.constantFrom("u1", "u2");
const resource = fc.constantFrom(...resources);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("upsert"), ...key, uid, note: fc.string({ maxLength: 300 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("delete"), ...key, uid: fc.constantFrom("u1", "u2", "") }) },
  fc.record({ kind: fc.constantFrom("begin", "end", "markSent"), resource }),
);

/** What a kind is, kept the plain way. */
class ModelKind {
  readonly rows = new Map<string, Row>();
  readonly sent = new Map<string, Row>();
  seen: Set<string> | undefined;
  isComplete = false;

  endList(): void {
    const { seen } = this;
    if (seen === undefined) return;
    for (const known of this.rows.keys()) if (!seen.has(known)) this.rows.delete(known);
    if (!this.isComplete) this.sent.clear();
    if (!this.isComplete) for (const [known, row] of this.rows) this.sent.set(known, row);
    this.isComplete = true;
    this.seen = undefined;
  }
}

function keyText(row: { readonly namespace: string; readonly name: string }): string {
  return `${row.namespace}/${row.name}`;
}

function apply(table: RowTable, models: Map<string, ModelKind>, one: Command): void {
  const kind = table.openKind(sampleKind(one.resource));
  const model = models.get(one.resource) ?? new ModelKind();
  models.set(one.resource, model);
  if (one.kind === "upsert") {
    const row = sampleRow(one);
    expect(kind.upsert(row)).toBe(model.rows.get(keyText(row))?.rowHash !== row.rowHash);
    model.rows.set(keyText(row), row);
    model.seen?.add(keyText(row));
  } else if (one.kind === "delete") {
    const known = model.rows.get(keyText(one));
    const isGone = known !== undefined && (one.uid === "" || known.uid === one.uid);
    expect(kind.delete(one, one.uid)).toBe(isGone);
    if (isGone) model.rows.delete(keyText(one));
  } else if (one.kind === "begin") {
    kind.beginList();
    model.seen = new Set();
  } else if (one.kind === "end") {
    if (model.seen !== undefined) kind.endList();
    model.endList();
  } else {
    for (const slot of table.slotsOf(kind)) {
      const row = table.row(slot);
      table.setSent(slot, row === undefined ? undefined : { hash: row.rowHash, uid: row.uid });
    }
    model.sent.clear();
    for (const [known, row] of model.rows) model.sent.set(known, row);
  }
}

test("[SE14] [L4] rows, what was sent of them, and their digests are those of a plain map, through lists that end or do not", () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 120, size: "max" }), (commands) => {
      const table = sampleTable();
      const models = new Map<string, ModelKind>();
      for (const one of commands) apply(table, models, one);
      for (const [text, model] of models) {
        const kind = table.openKind(sampleKind(text));
        const slots = [...table.slotsOf(kind)];
        const rows = slots.map((slot) => table.row(slot)).filter((row) => row !== undefined);
        expect(new Map(rows.map((row) => [keyText(row), row]))).toEqual(model.rows);
        expect([kind.rowCount, rows.length]).toEqual([model.rows.size, model.rows.size]);
        const sent = new Map(slots.map((slot) => [keyText(table.key(slot)), table.sent(slot)]));
        const held = new Map(Array.from(model.sent, ([known, row]) => [known, { hash: row.rowHash, uid: row.uid }]));
        for (const known of [...sent.keys(), ...held.keys()]) expect(sent.get(known)).toEqual(held.get(known));
        for (const slot of slots) {
          const known = keyText(table.key(slot));
          expect(table.isChanged(slot)).toBe(model.rows.get(known)?.rowHash !== model.sent.get(known)?.rowHash);
        }
        expect(kind.isComplete).toBe(model.isComplete);
        if (!model.isComplete) continue;
        const buckets = sentBuckets(table, kind);
        const expected = digestOf([...model.sent.values()].map((row) => row.rowHash));
        expect(buckets.total()).toEqual(expected);
        for (const row of model.sent.values()) {
          const bucket = bucketOf(row, sessionBucketCount);
          const others = [...model.sent.values()].filter((other) => bucketOf(other, sessionBucketCount) === bucket);
          expect(buckets.get(bucket)).toEqual(digestOf(others.map((other) => other.rowHash)));
        }
      }
      const complete = [...models.values()].filter((model) => model.isComplete);
      expect(sentKinds(table).length).toBe(complete.length);
      const all = complete.flatMap((model) => [...model.sent.values()].map((row) => row.rowHash));
      expect(sentRoot(table)).toEqual(digestOf(all));
    }),
    { numRuns: 40 },
  );
});
