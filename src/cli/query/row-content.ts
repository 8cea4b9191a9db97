// SPDX-License-Identifier: Apache-2.0
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ColumnValue, Row } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { type ColumnValue as PlainColumnValue, type RowContent, toResourceVersion } from "../../model/rows/row.ts";
import { statuses } from "../../model/status.ts";

/** A row of a message as the kinds read it. A status of a newer hub is `unknown`. */
export function toRowContent(row: Row): RowContent {
  const { namespace, name, uid, reason, message, owner } = row;
  return {
    namespace,
    name,
    uid,
    resourceVersion: toResourceVersion(row.resourceVersion),
    generation: Number(row.generation),
    createdAt: toMs(row.createdAt) ?? 0,
    ...(row.deletedAt === undefined ? {} : { deletedAt: timestampMs(row.deletedAt) }),
    status: statuses.find((status) => status === row.status) ?? "unknown",
    reason,
    message,
    labels: new Map(Object.entries(row.labels)),
    annotations: new Map(Object.entries(row.annotations)),
    ...(owner === undefined ? {} : { owner }),
    columns: new Map(Object.entries(row.columns).flatMap(([column, value]) => plainColumn(column, value))),
  };
}

function plainColumn(column: string, { value }: ColumnValue): readonly (readonly [string, PlainColumnValue])[] {
  if (value.case === undefined) return [];
  return [[column, value.case === "texts" ? value.value.values : value.value]];
}

function toMs(at: Timestamp | undefined): number | undefined {
  return at === undefined ? undefined : timestampMs(at);
}
