// SPDX-License-Identifier: Apache-2.0
import { create, toBinary } from "@bufbuild/protobuf";
import { ClusterPart, FleetClusterSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import type { Made } from "./stamped.ts";
import { joinFields } from "./wire-fragment.ts";

/** One cluster as the encoded fields of a FleetCluster, part by part: what changes seldom does not travel with what changes often. */
export interface FleetEntry {
  readonly id: string;
  /** What is in no other part, with the id. Where it changed the cluster is sent whole. */
  readonly facts: Made;
  readonly connection: Made;
  readonly strip: Made;
  /** For those who may see what objects tell; empty where they tell nothing yet. */
  readonly objects: Made;
}

/** The step at which a viewer would last have seen a change. */
export function newestStep({ facts, connection, strip, objects }: FleetEntry, seesObjects: boolean): number {
  return Math.max(facts.step, connection.step, strip.step, seesObjects ? objects.step : 0);
}

/** The encoded FleetCluster that brings a viewer of a step to now; whole for one who has nothing of it. */
export function encodeEntry(entry: FleetEntry, fromStep: number | undefined, seesObjects: boolean): Uint8Array {
  const { id, facts, connection, strip, objects } = entry;
  const isNew = ({ step }: Made): boolean => fromStep === undefined || step > fromStep;
  const fields: Uint8Array[] = [];
  const parts: ClusterPart[] = [];
  const add = (part: ClusterPart, made: Made): void => {
    if (!isNew(facts) && !isNew(made)) return;
    fields.push(made.bytes);
    parts.push(part);
  };
  add(ClusterPart.CONNECTION, connection);
  add(ClusterPart.STRIP, strip);
  if (seesObjects) add(ClusterPart.OBJECTS, objects);
  const first = isNew(facts) ? facts.bytes : toBinary(FleetClusterSchema, create(FleetClusterSchema, { id, parts }));
  return joinFields([first, ...fields]);
}
