// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { FlotillaError } from "../../base/error.ts";
import {
  type Change,
  ChangeSchema,
  type ColumnValue,
  ColumnValueSchema,
  type Row as RowMessage,
  RowSchema,
  RowService,
} from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { ColumnValue as PlainValue, Row } from "../../model/rows/row.ts";
import type { Subject } from "../../model/subject.ts";
import { quote } from "../../model/text.ts";
import { callerOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { charsOf, inGroups, maxMessageChars } from "../rows/bounded-groups.ts";
import {
  type FeedCursor,
  type FleetReader,
  type FlushChanges,
  maxKeyCount,
  type RowChange,
} from "../rows/fleet-reader.ts";
import { assertClustersKnown, findFleetKind, findKind } from "./find-kind.ts";
import type { FleetParts } from "./fleet-parts.ts";

/** Changes of one message: usually some 200 kB. */
const changeBounds = {
  maxCount: maxKeyCount,
  maxSize: maxMessageChars,
  sizeOf: ({ resource, namespace, name, uid }: RowChange) => charsOf(resource, namespace, name, uid),
};

/** The interval at which a watcher without visible changes learns its position, so that it can resume from there. */
const positionIntervalMs = 15_000;

/** RowService over the fleet's rows and the feed. */
export function createRowService(parts: FleetParts): ServiceEntry {
  const { fleet } = parts;
  return serviceEntry(RowService, {
    async *listRows({ clusterId, resources }, { values }) {
      if (fleet.clusters.get(clusterId) === undefined) {
        throw new FlotillaError("NOT_FOUND", `there is no cluster ${quote(clusterId)}`);
      }
      fleet.restore.assertLoaded(clusterId);
      const { subject } = callerOf(values);
      const wanted = await Promise.all(resources.map((each) => findKind(parts, subject, clusterId, each)));
      const snapshot = await fleet.reader.snapshot(
        subject,
        clusterId,
        wanted.length === 0 ? undefined : new Set(wanted),
      );
      for await (const { resource, kind, rows } of snapshot.pages())
        yield { rows: rows.map((row) => toRowMessage(resource, kind, row)) };
    },

    async *watchChanges({ clusterIds, resources, position, isOnce }, { signal, values }) {
      const { subject } = callerOf(values);
      const known = fleet.clusters.list().map(({ id }) => id);
      assertClustersKnown(new Set(known), clusterIds);
      const searched = clusterIds.length === 0 ? known : clusterIds;
      const kinds = await Promise.all(resources.map((each) => findFleetKind(parts, subject, searched, each)));
      const wanted = { clusters: new Set(clusterIds), resources: new Set(kinds) };
      const feed = fleet.reader.changes(subject, wanted);
      const end = feed.cursor;
      const from = position === "" ? (isOnce ? feed.oldest : end) : parsePosition(position);
      if (isOnce && from.position >= end.position) {
        yield { position: positionText(end) };
        return;
      }
      const { feedId } = end;
      if (!isOnce) {
        feed.assertKept(from);
        // A reader disconnected before the first change knows where to resume.
        yield { position: positionText(from) };
      }
      let sentMs = parts.clock.nowMs();
      for await (const flush of feed.read(from, signal)) {
        const groups = [...inGroups(flush.changes, changeBounds)];
        const last = groups.pop() ?? [];
        const toMessage = async (some: readonly RowChange[], reached: number) => ({
          changes: await loadChanges(
            fleet.reader,
            subject,
            some.map((change) => ({ flush, change })),
          ),
          position: positionText({ feedId, position: reached }),
        });
        // Resuming within a flush repeats it from its beginning, so nothing is missed.
        for (const some of groups) yield await toMessage(some, flush.position - 1);
        const isEnd = isOnce && flush.position >= end.position;
        // A message for each flush without a visible change would tell when hidden objects change (L17).
        const isDue = parts.clock.nowMs() - sentMs >= positionIntervalMs;
        if (last.length > 0 || isEnd || isDue) {
          sentMs = parts.clock.nowMs();
          yield await toMessage(last, flush.position);
        }
        if (isOnce && flush.position >= end.position) return;
      }
    },
  });
}

/** A row as a message. */
export function toRowMessage(resource: string, kind: string, row: Row, statusSinceMs?: number): RowMessage {
  return create(RowSchema, {
    resource,
    kind,
    namespace: row.namespace,
    name: row.name,
    uid: row.uid,
    resourceVersion: row.resourceVersion,
    generation: BigInt(row.generation),
    status: row.status,
    reason: row.reason,
    message: row.message,
    labels: Object.fromEntries(row.labels),
    annotations: Object.fromEntries(row.annotations),
    columns: Object.fromEntries(Array.from(row.columns, ([name, value]) => [name, toColumnValue(value)])),
    ...(statusSinceMs === undefined ? {} : { statusSince: timestampFromMs(statusSinceMs) }),
    ...(row.createdAt === 0 ? {} : { createdAt: timestampFromMs(row.createdAt) }),
    ...(row.deletedAt === undefined ? {} : { deletedAt: timestampFromMs(row.deletedAt) }),
    ...(row.owner === undefined ? {} : { owner: row.owner }),
  });
}

function toColumnValue(value: PlainValue): ColumnValue {
  if (typeof value === "string") return create(ColumnValueSchema, { value: { case: "text", value } });
  if (typeof value === "number") return create(ColumnValueSchema, { value: { case: "number", value } });
  if (typeof value === "boolean") return create(ColumnValueSchema, { value: { case: "truth", value } });
  return create(ColumnValueSchema, { value: { case: "texts", value: { values: [...value] } } });
}

/** A change and the flush that it came with. */
export interface PlacedChange {
  readonly flush: Pick<FlushChanges, "cluster" | "receivedAtMs">;
  readonly change: RowChange;
}

/** Changes as messages, each with the object's current status. At most `maxKeyCount`. */
export async function loadChanges(
  reader: FleetReader,
  subject: Subject,
  changes: readonly PlacedChange[],
): Promise<Change[]> {
  const keys = changes.map(({ flush: { cluster }, change: { resource, namespace, name } }) => {
    return { cluster, resource, namespace, name };
  });
  const present = await reader.getStatuses(subject, keys);
  return changes.map(({ flush, change: { kind, resource, namespace, name, uid } }, at) =>
    create(ChangeSchema, {
      clusterId: flush.cluster,
      resource,
      namespace,
      name,
      uid,
      what: kind,
      // The current status, if the object is still the one that changed.
      status: present[at]?.uid === uid ? present[at].status : "",
      receivedAt: timestampFromMs(flush.receivedAtMs),
    }),
  );
}

function positionText({ feedId, position }: FeedCursor): string {
  return `${feedId}.${position}`;
}

function parsePosition(text: string): FeedCursor {
  const at = text.lastIndexOf(".");
  const position = Number(text.slice(at + 1));
  if (at < 1 || !Number.isSafeInteger(position) || position < 0) {
    throw new FlotillaError("INVALID_ARGUMENT", `${quote(text)} is not a position of the change feed`);
  }
  return { feedId: text.slice(0, at), position };
}
