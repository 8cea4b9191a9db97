// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bucketCode, bucketOf, sessionBucketCount } from "../../model/bucket.ts";
import { digestOf } from "../../model/digest.ts";
import type { Row } from "../../model/row.ts";
import type { PicturePart } from "./picture.ts";
import { PlainPicture } from "./plain-picture.ts";
import { hasher } from "./testing/test-fleet.ts";
import { makeBatch, makeRow, uidOfNumber } from "./testing/test-rows.ts";

interface Step {
  readonly upserts: readonly (readonly [number, number, number])[];
  readonly deletes: readonly (readonly [number, number])[];
  readonly replaces: boolean;
}

const nameNumber = fc.nat({ max: 40 });
const uidNumber = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.record({
  upserts: fc.uniqueArray(fc.tuple(nameNumber, uidNumber, fc.nat({ max: 3 })), {
    selector: ([name]) => name,
    maxLength: 20,
  }),
  deletes: fc.uniqueArray(fc.tuple(nameNumber, uidNumber), { selector: ([name]) => name, maxLength: 6 }),
  replaces: fc.boolean(),
});

function toRow([name, uid, replicas]: readonly [number, number, number]): Row {
  return makeRow("east", "pods", { name: `pod-${name}`, uid: uidOfNumber(uid), replicas });
}

/** What the rules say, on a plain map: the outcome of one part. */
function applyToModel(model: Map<string, Row>, step: Step): PicturePart {
  if (step.replaces) {
    const first = toRow(step.upserts[0] ?? [0, 0, 0]);
    const bucket = bucketOf(first, sessionBucketCount);
    const rows = step.upserts.map(toRow).filter((row) => bucketOf(row, sessionBucketCount) === bucket);
    for (const [name, row] of model) if (bucketOf(row, sessionBucketCount) === bucket) model.delete(name);
    for (const row of rows) model.set(row.name, row);
    const form = { kind: "replace", bucket: bucketCode(sessionBucketCount, bucket) } as const;
    return { resource: "pods", form, batch: makeBatch("pods", rows) };
  }
  const deletes = step.deletes.map(([name, uid]) => ({
    namespace: "default",
    name: `pod-${name}`,
    uid: uidOfNumber(uid),
  }));
  for (const { name, uid } of deletes) if (model.get(name)?.uid === uid) model.delete(name);
  const rows = step.upserts.map(toRow);
  for (const row of rows) model.set(row.name, row);
  return { resource: "pods", form: { kind: "delta" }, batch: makeBatch("pods", rows, deletes) };
}

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
      fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 15 }), (flushes) => {
        const picture = new PlainPicture(hasher, directRowCount);
        const model = new Map<string, Row>();
        const uids = new Map<string, string>();
        for (const [position, steps] of flushes.entries()) {
          const shown = [...model.values()];
          const before = hashesOf(shown);
          const parts = steps.map((each) => applyToModel(model, each));
          const fold = picture.prepare("east", parts);
          for (const _ of fold.steps()) {
            expect(hashesOf(picture.snapshot("east", "pods")?.rows() ?? [])).toEqual(before);
            expect(shown.map((row) => picture.getRow("east", "pods", row)?.rowHash)).toEqual(
              shown.map(({ rowHash }) => rowHash),
            );
          }
          const changes = fold.commit({ position, receivedAtMs: position }).list();
          const rows = [...(picture.snapshot("east", "pods")?.rows() ?? [])];
          expect(hashesOf(rows)).toEqual(hashesOf(model.values()));
          expect(picture.kindDigest("east", "pods")).toEqual(
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
