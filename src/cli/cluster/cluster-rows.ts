// SPDX-License-Identifier: Apache-2.0
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { type ColumnValue, type Row, RowService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { jsonColumnsOf, parseElements } from "../output/json-columns.ts";
import { printOneOfMany } from "../output/output.ts";

/** Prints all rows of a cluster that the hub has, one JSON line or YAML document per row. There is no text format. */
export async function listRows(
  { transport, io, output, signal }: HubCall,
  clusterId: string,
  resources: readonly string[],
): Promise<void> {
  const request = { clusterId, resources: [...resources] };
  for await (const { rows } of createClient(RowService, transport).listRows(request, { signal })) {
    for (const row of rows) {
      const value = { cluster: clusterId, ...toRowObject(row) };
      await printOneOfMany(io.stdout, output === "yaml" ? "yaml" : "json", { value, text: "" });
    }
  }
}

/** A row as JSON: columns by name with plain values. Columns with JSON content are values, not strings (CL11). */
export function toRowObject(row: Row): JsonObject {
  const jsonColumns = jsonColumnsOf(row.resource);
  const columns: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(row.columns)) columns[name] = plainValue(value, jsonColumns.has(name));
  return {
    resource: row.resource,
    kind: row.kind,
    namespace: row.namespace,
    name: row.name,
    uid: row.uid,
    resourceVersion: row.resourceVersion,
    generation: Number(row.generation),
    createdAt: timeText(row.createdAt),
    deletedAt: timeText(row.deletedAt),
    status: row.status,
    reason: row.reason,
    message: row.message,
    labels: row.labels,
    annotations: row.annotations,
    owner:
      row.owner === undefined
        ? null
        : { group: row.owner.group, kind: row.owner.kind, name: row.owner.name, uid: row.owner.uid },
    columns,
  };
}

function plainValue({ value }: ColumnValue, isJson: boolean): JsonValue {
  if (value.case === "texts") return isJson ? parseElements(value.value.values) : value.value.values;
  return value.value ?? null;
}

function timeText(at: Row["createdAt"]): string | null {
  return at === undefined ? null : new Date(timestampMs(at)).toISOString();
}
