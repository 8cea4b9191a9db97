// SPDX-License-Identifier: Apache-2.0
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import { decodeRowBatch } from "../../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../../model/row-batch/encode.ts";
import type { RowBatch } from "../../../model/row-batch/row-batch.ts";
import { type ColumnSpec, type Row, type RowDelete, toResourceVersion } from "../../../model/rows/row.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import type { Status } from "../../../model/status.ts";
import { hasher } from "./test-fleet.ts";

export const testColumns: readonly ColumnSpec[] = [
  { name: "phase", type: "string" },
  { name: "replicas", type: "integer" },
];

/** A uid that depends on its number only. */
export function uidOfNumber(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

export interface TestObject {
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly phase?: string;
  readonly replicas?: number;
  readonly status?: Status;
}

/** A sealed row of that cluster and resource. */
export function makeRow(cluster: string, resource: string, object: TestObject): Row {
  const sealer = new RowSealer(parseClusterId(cluster), parseResourceId(resource), hasher);
  return sealer.seal({
    namespace: object.namespace ?? "default",
    name: object.name,
    uid: object.uid ?? uidOfNumber(1),
    resourceVersion: toResourceVersion("1"),
    generation: 1,
    createdAt: 0,
    status: object.status ?? "healthy",
    reason: "",
    message: "",
    labels: new Map([["app", object.name]]),
    annotations: new Map(),
    columns: new Map<string, string | number>([
      ["phase", object.phase ?? "Running"],
      ["replicas", object.replicas ?? 1],
    ]),
  });
}

export function encodeRows(resource: string, rows: readonly Row[], deletes: readonly RowDelete[] = []): Uint8Array {
  const content = { resource: parseResourceId(resource), kind: "Thing", columns: testColumns, rows, deletes };
  return encodeRowBatch(content, hasher);
}

export function makeBatch(resource: string, rows: readonly Row[], deletes: readonly RowDelete[] = []): RowBatch {
  return decodeRowBatch(encodeRows(resource, rows, deletes), hasher);
}
