// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { smallContent } from "../../../index/scan/testing/small-rows.ts";
import type { RowContent } from "../../../model/rows/row.ts";
import { type PastRig, type RigPart, rigClusters, rigKey, rigResources } from "./past-rig.ts";

const uid = fc.constantFrom("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002");
const content: fc.Arbitrary<RowContent> = fc.tuple(smallContent, uid).map(([row, own]) => ({ ...row, uid: own }));
const contents = fc.uniqueArray(content, { selector: rigKey, maxLength: 5 });

const parts: fc.Arbitrary<readonly RigPart[]> = fc.uniqueArray(
  fc.record({
    resource: fc.constantFrom(...rigResources),
    put: contents,
    deleted: fc
      .uniqueArray(content, { selector: rigKey, maxLength: 6 })
      .map((all) => all.map(({ namespace, name, uid: own }) => ({ namespace, name, uid: own }))),
    replaced: fc.boolean(),
  }),
  { selector: ({ resource }) => resource, minLength: 1, maxLength: 2 },
);

const cluster = fc.constantFrom(...rigClusters);
const resource = fc.constantFrom(...rigResources);

/** Something that happens to the log. */
type HistoryStep =
  | {
      readonly kind: "flush";
      readonly cluster: string;
      readonly parts: readonly RigPart[];
      readonly isFolded: boolean;
      readonly pauseMs: number;
    }
  | { readonly kind: "checkpoint"; readonly cluster: string; readonly resource: string }
  | { readonly kind: "retain"; readonly keptMs: number }
  /** The index removes texts that no row uses, or is built again from the log. */
  | { readonly kind: "compact" | "rebuild"; readonly cluster: string };

/** Flushes, some in the same millisecond and some after the clock was set back, with checkpoints and retention. */
export const anyHistory: fc.Arbitrary<readonly HistoryStep[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("flush" as const),
        cluster,
        parts,
        isFolded: fc.constantFrom(true, true, true, false),
        pauseMs: fc.constantFrom(0, 1, 7, 100, -30),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("checkpoint" as const), cluster, resource }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("retain" as const), keptMs: fc.constantFrom(50, 200) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom("compact" as const, "rebuild" as const), cluster }),
    },
  ),
  { minLength: 4, maxLength: 25 },
);

/** Lets a history happen. */
export async function playHistory(rig: PastRig, history: readonly HistoryStep[]): Promise<void> {
  // A flush that the index has not folded stops the index of its cluster: folds come in order.
  const behind = new Set<string>();
  for (const step of history) {
    if (step.kind === "flush") {
      rig.wait(step.pauseMs);
      if (!step.isFolded) behind.add(step.cluster);
      await rig.flush(step.cluster, step.parts, !behind.has(step.cluster));
    } else if (step.kind === "checkpoint") await rig.checkpoint(step.cluster, step.resource);
    else if (step.kind === "retain") await rig.retain(rig.nowMs - step.keptMs);
    else if (step.kind === "compact") rig.compact(step.cluster);
    else {
      rig.rebuild(step.cluster);
      behind.delete(step.cluster);
    }
  }
}

/** A moment of a history: a share of the time from its beginning to now. Doubles would nearly all be close to 0. */
export const anyShare = fc.integer({ min: 0, max: 1_000 }).map((part) => part / 1_000);

export function momentOf(rig: PastRig, share: number): number {
  return Math.round(499 + share * (rig.nowMs - 499));
}
