// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import type { FoldPart } from "../../../index/fold/fold-part.ts";
import { bucketCode, sessionBucketCount } from "../../../model/rows/bucket.ts";
import type { Row } from "../../../model/rows/row.ts";
import { bucketOf } from "../../../model/rows/testing/key-digests.ts";
import { statuses } from "../../../model/status.ts";
import { makeBatch, makeRow, uidOfNumber } from "./test-rows.ts";

/**
 * Rows by name and uid, deletes of such, and whether they replace a bucket. Each row's third number stands for its
 * content.
 */
export interface SomePart {
  readonly upserts: readonly (readonly [number, number, number])[];
  readonly deletes: readonly (readonly [number, number])[];
  readonly replaces: boolean;
}

const nameNumber = fc.nat({ max: 40 });
const uidNumber = fc.nat({ max: 2 });
/** Parts of few names and uids, so that they meet again and again. */
export const somePart: fc.Arbitrary<SomePart> = fc.record({
  upserts: fc.uniqueArray(fc.tuple(nameNumber, uidNumber, fc.nat({ max: 3 })), {
    selector: ([name]) => name,
    maxLength: 20,
  }),
  deletes: fc.uniqueArray(fc.tuple(nameNumber, uidNumber), { selector: ([name]) => name, maxLength: 6 }),
  replaces: fc.boolean(),
});

function toRow([name, uid, content]: readonly [number, number, number]): Row {
  const status = statuses[(name + content) % statuses.length] ?? "unknown";
  return makeRow("east", "pods", { name: `pod-${name}`, uid: uidOfNumber(uid), replicas: content, status });
}

/** What the rules say, on a plain map: the outcome of one part. */
export function applyToModel(model: Map<string, Row>, part: SomePart): FoldPart {
  if (part.replaces) {
    const first = toRow(part.upserts[0] ?? [0, 0, 0]);
    const bucket = bucketOf(first, sessionBucketCount);
    const rows = part.upserts.map(toRow).filter((row) => bucketOf(row, sessionBucketCount) === bucket);
    for (const [name, row] of model) if (bucketOf(row, sessionBucketCount) === bucket) model.delete(name);
    for (const row of rows) model.set(row.name, row);
    const form = { kind: "replace", bucket: bucketCode(sessionBucketCount, bucket) } as const;
    return { resource: "pods", form, batch: makeBatch("pods", rows) };
  }
  const deletes = part.deletes.map(([name, uid]) => ({
    namespace: "default",
    name: `pod-${name}`,
    uid: uidOfNumber(uid),
  }));
  for (const { name, uid } of deletes) if (model.get(name)?.uid === uid) model.delete(name);
  const rows = part.upserts.map(toRow);
  for (const row of rows) model.set(row.name, row);
  return { resource: "pods", form: { kind: "delta" }, batch: makeBatch("pods", rows, deletes) };
}
