// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { FlotillaError } from "../../base/error.ts";
import type { Row } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { FoundObject } from "../../gen/flotilla/query/v1/query_pb.ts";
import { toRowObject } from "../cluster/cluster-rows.ts";

/** The row of an object. Throws MALFORMED if the hub sent none. */
export function rowOf({ row }: FoundObject): Row {
  if (row === undefined) throw new FlotillaError("MALFORMED", "the hub sent an object without its row");
  return row;
}

/** An object as JSON: its cluster, then its row. `removedAt` is null unless it was deleted. */
export function toFoundJson(object: FoundObject): JsonObject {
  const row = rowOf(object);
  return {
    cluster: object.cluster,
    ...toRowObject(row),
    statusSince: toTimeText(row.statusSince),
    removedAt: toTimeText(object.removedAt),
  };
}

/** RFC 3339; null for an absent time. */
export function toTimeText(at: Timestamp | undefined): string | null {
  return at === undefined ? null : new Date(timestampMs(at)).toISOString();
}

/** The group of the text of a resource id: "apps" of `apps/deployments`, "" of `pods`. */
export function groupOf(resource: string): string {
  return resource.slice(0, Math.max(0, resource.indexOf("/")));
}

/** A kind as `kubectl get -o name` writes it: `pod`, `deployment.apps`. */
export function kindWord({ kind, resource }: Pick<Row, "kind" | "resource">): string {
  const group = groupOf(resource);
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}`;
}
