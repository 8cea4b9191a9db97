// SPDX-License-Identifier: Apache-2.0
import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../base/error.ts";
import { ChangeSchema, type ColumnValue, type Row, RowService } from "../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { HubCall } from "./hub-call.ts";
import { toJsonText } from "./output.ts";
import { formatRelative } from "./relative-time.ts";
import { toTerminalText } from "./terminal-text.ts";

/** Prints everything the hub knows of a cluster, one row a line as JSON, whatever the output format: it is for programs. */
export async function listRows(
  { transport, io, signal }: HubCall,
  clusterId: string,
  resources: readonly string[],
): Promise<void> {
  const request = { clusterId, resources: [...resources] };
  for await (const { rows } of createClient(RowService, transport).listRows(request, { signal })) {
    io.stdout.write(rows.map((row) => `${toJsonText({ cluster: clusterId, ...toRowObject(row) })}\n`).join(""));
  }
}

/** A row as programs get it: columns by name, with their plain values. */
export function toRowObject(row: Row): Readonly<Record<string, JsonValue>> {
  const columns: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(row.columns)) columns[name] = plainValue(value);
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

function plainValue({ value }: ColumnValue): JsonValue {
  if (value.case === "texts") return value.value.values;
  return value.value ?? null;
}

function timeText(at: Row["createdAt"]): string | null {
  return at === undefined ? null : new Date(timestampMs(at)).toISOString();
}

/** What of the change feed is printed. */
export interface ChangesWanted {
  readonly clusters: readonly string[];
  /** "" = from now on. */
  readonly position: string;
  readonly follow: boolean;
}

/** Prints changes of rows as they became visible: to the end of what happened, or on and on. */
export async function showChanges({ transport, io, output, signal }: HubCall, wanted: ChangesWanted): Promise<void> {
  const request = { clusterIds: [...wanted.clusters], position: wanted.position, isOnce: !wanted.follow };
  let last = wanted.position;
  try {
    for await (const message of createClient(RowService, transport).watchChanges(request, { signal })) {
      last = message.position;
      for (const change of message.changes) {
        if (output === "text") {
          const when = change.receivedAt === undefined ? "" : formatRelative(timestampMs(change.receivedAt), io.now());
          const key = [change.namespace, change.name].filter((each) => each !== "").join("/");
          const words = [change.what, change.clusterId, change.resource, key, change.status, when];
          io.stdout.write(`${toTerminalText(words.join("  ").trimEnd())}\n`);
        } else {
          io.stdout.write(`${toJsonText({ ...asObject(toJson(ChangeSchema, change)), position: message.position })}\n`);
        }
      }
    }
  } catch (reason) {
    if (signal.aborted) return;
    throw reason;
  }
  if (signal.aborted || !wanted.follow) return;
  throw new FlotillaError("UNAVAILABLE", `the hub ended the watch; go on with --position ${toTerminalText(last)}`);
}

function asObject(value: JsonValue): Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
