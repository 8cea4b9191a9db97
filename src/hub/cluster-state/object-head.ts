// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type ObjectState, ObjectStateSchema } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { cutColumn } from "../../kinds/row-size-limits.ts";
import type { RowContent } from "../../model/rows/row.ts";
import type { Fields, ReadFaults } from "./row-fields.ts";

/** The fields common to the messages of all kinds. */
export interface ObjectHead {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
  readonly object: ObjectState;
}

/** The years 1 to 9999, the range of a protobuf timestamp. */
const [minTimeMs, maxTimeMs] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** The common fields of a row, whatever its kind. */
export function toObjectHead(row: RowContent, columns: Fields, faults: ReadFaults): ObjectHead {
  const createdAt = toTimestamp("createdAt", row.createdAt, faults);
  const deletedAt = toTimestamp("deletedAt", row.deletedAt ?? 0, faults);
  return {
    name: row.name,
    namespace: row.namespace,
    labels: Object.fromEntries(row.labels),
    object: create(ObjectStateSchema, {
      uid: row.uid,
      resourceVersion: row.resourceVersion,
      generation: toGeneration(row.generation, faults),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(deletedAt === undefined ? {} : { deletedAt }),
      status: row.status,
      reason: row.reason,
      message: row.message,
      annotations: Object.fromEntries(row.annotations),
      ...(row.owner === undefined ? {} : { owner: row.owner }),
      cut: columns.texts(cutColumn),
    }),
  };
}

function toGeneration(generation: number, faults: ReadFaults): bigint {
  if (Number.isSafeInteger(generation)) return BigInt(generation);
  faults.note("generation");
  return 0n;
}

/** Undefined for 0, "not reported" (CO21), and for a time out of range, which is noted. */
function toTimestamp(name: string, atMs: number, faults: ReadFaults): Timestamp | undefined {
  if (atMs === 0) return undefined;
  if (atMs >= minTimeMs && atMs <= maxTimeMs) return timestampFromMs(atMs);
  faults.note(name);
  return undefined;
}
