// SPDX-License-Identifier: Apache-2.0
import { fromBinary } from "@bufbuild/protobuf";
import type { Change } from "../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { ChangesUpdateSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { ViewFold } from "./view-store.ts";

/**
 * One line of the feed: a change, a gap of omitted changes, or the mark between changes before and after the page was
 * opened. Numbers increase; the newest line has the largest.
 */
export type FeedLine =
  | { readonly kind: "change"; readonly number: number; readonly change: Change }
  | { readonly kind: "leftOut"; readonly number: number; readonly count: number }
  | { readonly kind: "came"; readonly number: number };

export interface ChangesPicture {
  /** Newest last. */
  readonly lines: readonly FeedLine[];
  readonly lastNumber: number;
  /** A new object for each snapshot, with which numbers restart; undefined before the first. */
  readonly beginning: object | undefined;
}

/** Maximum lines kept: some hours of a calm fleet, and a bound for a busy one. */
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
    // A snapshot holds the changes from before the page was opened (PG25).
    if (beginning === undefined && added.length > 0) {
      lastNumber += 1;
      added.push({ kind: "came", number: lastNumber });
    }
    return { lines: [...before, ...added].slice(-keptCount), lastNumber, beginning: beginning ?? {} };
  },
};
