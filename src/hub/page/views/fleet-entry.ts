// SPDX-License-Identifier: Apache-2.0
import { create, toBinary } from "@bufbuild/protobuf";
import { ClusterPart, FleetClusterSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import type { MemoizedEncoding } from "../memoized-encoding.ts";
import { joinFields } from "../wire-fragment.ts";

/** One cluster as encoded parts of a FleetCluster, so that parts that change often are sent without the others. */
export interface FleetEntry {
  readonly id: string;
  /** The id and everything not in another part. When it changes, the whole cluster is sent. */
  readonly facts: MemoizedEncoding;
  readonly connection: MemoizedEncoding;
  readonly strip: MemoizedEncoding;
  /** By access key, for viewers who may see objects; empty while no rows are shown. */
  readonly objects: ReadonlyMap<string, MemoizedEncoding>;
}

/** Which objects a viewer sees; undefined for one that sees none. */
type AccessKey = string | undefined;

function objectsFor({ objects }: FleetEntry, accessKey: AccessKey): MemoizedEncoding | undefined {
  return accessKey === undefined ? undefined : objects.get(accessKey);
}

/** The step of the newest change that the viewer may see. */
export function newestStep(entry: FleetEntry, accessKey: AccessKey): number {
  const { facts, connection, strip } = entry;
  return Math.max(facts.step, connection.step, strip.step, objectsFor(entry, accessKey)?.step ?? 0);
}

/** The encoded parts changed since a step, or the whole FleetCluster without one. */
export function encodeEntry(entry: FleetEntry, fromStep: number | undefined, accessKey: AccessKey): Uint8Array {
  const { id, facts, connection, strip } = entry;
  const isNew = ({ step }: MemoizedEncoding): boolean => fromStep === undefined || step > fromStep;
  const fields: Uint8Array[] = [];
  const parts: ClusterPart[] = [];
  const add = (part: ClusterPart, encoded: MemoizedEncoding): void => {
    if (!isNew(facts) && !isNew(encoded)) return;
    fields.push(encoded.bytes);
    parts.push(part);
  };
  add(ClusterPart.CONNECTION, connection);
  add(ClusterPart.STRIP, strip);
  const objects = objectsFor(entry, accessKey);
  if (objects !== undefined) add(ClusterPart.OBJECTS, objects);
  const first = isNew(facts) ? facts.bytes : toBinary(FleetClusterSchema, create(FleetClusterSchema, { id, parts }));
  return joinFields([first, ...fields]);
}
