// SPDX-License-Identifier: Apache-2.0
// Rows, batches and parts for tests of folding, and the rules of folding on a plain map.
import * as fc from "fast-check";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import { decodeRowBatch } from "../../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../../model/row-batch/encode.ts";
import type { RowBatch } from "../../../model/row-batch/row-batch.ts";
import { bucketCode, sessionBucketCount } from "../../../model/rows/bucket.ts";
import { createHasher } from "../../../model/rows/hasher.ts";
import { type ColumnSpec, type Row, type RowDelete, toResourceVersion } from "../../../model/rows/row.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import { bucketOf } from "../../../model/rows/testing/key-digests.ts";
import { type Status, statuses } from "../../../model/status.ts";
import type { FoldPart } from "../fold-part.ts";

export const foldHasher = await createHasher();

const columns: readonly ColumnSpec[] = [
  { name: "phase", type: "string" },
  { name: "replicas", type: "integer" },
];

/** A uid that depends on its number only. */
export function uidOf(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

export interface FoldObject {
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly phase?: string;
  readonly replicas?: number;
  readonly status?: Status;
  readonly message?: string;
}

/** A sealed row of a Pod. */
export function podRow(object: FoldObject): Row {
  const sealer = new RowSealer(parseClusterId("east"), parseResourceId("pods"), foldHasher);
  return sealer.seal({
    namespace: object.namespace ?? "default",
    name: object.name,
    uid: object.uid ?? uidOf(1),
    resourceVersion: toResourceVersion("1"),
    generation: 1,
    createdAt: 0,
    status: object.status ?? "healthy",
    reason: "",
    message: object.message ?? "",
    labels: new Map([["app", object.name]]),
    annotations: new Map(),
    owner: { group: "apps", kind: "ReplicaSet", name: object.name, uid: uidOf(7) },
    columns: new Map<string, string | number>([
      ["phase", object.phase ?? "Running"],
      ["replicas", object.replicas ?? 1],
    ]),
  });
}

/** The bytes of a batch of Pods. */
export function encodePods(rows: readonly Row[], deletes: readonly RowDelete[] = []): Uint8Array {
  return encodeRowBatch({ resource: parseResourceId("pods"), kind: "Pod", columns, rows, deletes }, foldHasher);
}

export function podBatch(rows: readonly Row[], deletes: readonly RowDelete[] = []): RowBatch {
  return decodeRowBatch(encodePods(rows, deletes), foldHasher);
}

/**
 * Rows by name and uid, deletes of such, and whether they replace a bucket. Each row's third number stands for its
 * content.
 */
export interface SomePods {
  readonly upserts: readonly (readonly [number, number, number])[];
  readonly deletes: readonly (readonly [number, number])[];
  readonly replaces: boolean;
}

const nameNumber = fc.nat({ max: 30 });
const uidNumber = fc.nat({ max: 2 });
/** Parts of few names and uids, so that they meet again and again. */
export const somePods: fc.Arbitrary<SomePods> = fc.record({
  upserts: fc.uniqueArray(fc.tuple(nameNumber, uidNumber, fc.nat({ max: 3 })), {
    selector: ([name]) => name,
    maxLength: 15,
  }),
  deletes: fc.uniqueArray(fc.tuple(nameNumber, uidNumber), { selector: ([name]) => name, maxLength: 6 }),
  replaces: fc.boolean(),
});

function toRow([name, uid, content]: readonly [number, number, number]): Row {
  const status = statuses[(name + content) % statuses.length] ?? "unknown";
  const message = `message ${name} ${content}`;
  return podRow({ name: `pod-${name}`, uid: uidOf(uid), replicas: content, status, message });
}

/** The outcome of one part by the rules, on a plain map by name. */
export function applyToPlainMap(model: Map<string, Row>, part: SomePods): FoldPart {
  if (part.replaces) {
    const first = toRow(part.upserts[0] ?? [0, 0, 0]);
    const bucket = bucketOf(first, sessionBucketCount);
    const rows = part.upserts.map(toRow).filter((row) => bucketOf(row, sessionBucketCount) === bucket);
    for (const [name, row] of model) if (bucketOf(row, sessionBucketCount) === bucket) model.delete(name);
    for (const row of rows) model.set(row.name, row);
    const form = { kind: "replace", bucket: bucketCode(sessionBucketCount, bucket) } as const;
    return { resource: "pods", form, batch: podBatch(rows) };
  }
  const deletes = part.deletes.map(([name, uid]) => ({
    namespace: "default",
    name: `pod-${name}`,
    uid: uidOf(uid),
  }));
  for (const { name, uid } of deletes) if (model.get(name)?.uid === uid) model.delete(name);
  const rows = part.upserts.map(toRow);
  for (const row of rows) model.set(row.name, row);
  return { resource: "pods", form: { kind: "delta" }, batch: podBatch(rows, deletes) };
}
