// SPDX-License-Identifier: Apache-2.0
import { fromBinary } from "@bufbuild/protobuf";
import type { Change } from "../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { ChangesUpdateSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { ViewFold } from "./view-store.ts";

/**
 * One line of the feed: a change, that some were left out at this place, or that the viewer came here and what is older was before that. Numbers grow; the
 * newest line has the largest.
 */
export type FeedLine =
  | { readonly kind: "change"; readonly number: number; readonly change: Change }
  | { readonly kind: "leftOut"; readonly number: number; readonly count: number }
  | { readonly kind: "came"; readonly number: number };

export interface ChangesPicture {
  /** The newest last. */
  readonly lines: readonly FeedLine[];
  readonly lastNumber: number;
  /** Another for each snapshot, with which numbers begin anew; undefined before the first. */
  readonly beginning: object | undefined;
}

/** Lines that are kept: some hours of a calm fleet, and a bound for a busy one. */
const keptCount = 2_000;

export const changesFold: ViewFold<ChangesPicture> = {
  empty: { lines: [], lastNumber: 0, beginning: undefined },
  fold({ lines: before, lastNumber: last, beginning }, bytes) {
    const { changes, leftOutCount } = fromBinary(ChangesUpdateSchema, bytes);
    let lastNumber = last;
    const added: FeedLine[] = [];
    if (leftOutCount > 0) {
      lastNumber += 1;
      added.push({ kind: "leftOut", number: lastNumber, count: leftOutCount });
    }
    for (const change of changes) {
      lastNumber += 1;
      added.push({ kind: "change", number: lastNumber, change });
    }
    // A snapshot is what was before the viewer came (PG25).
    if (beginning === undefined && added.length > 0) {
      lastNumber += 1;
      added.push({ kind: "came", number: lastNumber });
    }
    return { lines: [...before, ...added].slice(-keptCount), lastNumber, beginning: beginning ?? {} };
  },
};
