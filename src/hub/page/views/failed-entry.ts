// SPDX-License-Identifier: Apache-2.0
import { create, toBinary } from "@bufbuild/protobuf";
import { FleetClusterSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import { memoizeEncoding } from "../memoized-encoding.ts";
import type { FleetEntry } from "./fleet-entry.ts";

/** Shown in place of an entry that could not be created. */
export const failedEntrySentence = "The hub could not prepare this cluster for the page; see the hub's log.";

/** Not a state of the health monitor, which is not at fault. The page shows an unknown state as a problem (PG16). */
const state = "unknown";

/** The entry of a cluster whose real one could not be created (PG30): only its id and the sentence. */
export function toFailedEntry(id: string, before: FleetEntry | undefined, step: number): FleetEntry {
  const connection = { state, sentence: failedEntrySentence };
  const none = (): Uint8Array => new Uint8Array();
  return {
    id,
    facts: memoizeEncoding(before?.facts, [failedEntrySentence], step, () =>
      toBinary(FleetClusterSchema, create(FleetClusterSchema, { id })),
    ),
    connection: memoizeEncoding(before?.connection, [failedEntrySentence], step, () =>
      toBinary(FleetClusterSchema, create(FleetClusterSchema, { connection })),
    ),
    strip: memoizeEncoding(before?.strip, [failedEntrySentence], step, none),
    objects: new Map(),
  };
}
