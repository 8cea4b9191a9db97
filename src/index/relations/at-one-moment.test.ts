// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { serviceKind } from "../../kinds/service-kind.ts";
import { atOneMoment } from "./at-one-moment.ts";
import { type BuiltRow, buildFleet, builtRow, seesAll } from "./testing/built-fleet.ts";
import type { VisibleCluster } from "./visible-cluster.ts";

const service = (name: string): BuiltRow => builtRow("east", serviceKind, { metadata: { name, namespace: "shop" } });

/** Counts the rows twice, with a pause between. */
function* countTwice(cluster: VisibleCluster): Generator<void, readonly number[], undefined> {
  const count = (): number => cluster.table("services")?.rowCount ?? 0;
  const first = count();
  yield;
  return [first, count()];
}

/** A row is added at each pause for which this is true. */
function run(changesAtPause: readonly boolean[]) {
  const fleet = buildFleet([service("first")]);
  const running = atOneMoment(fleet, "east", seesAll, countTwice);
  for (let pauseCount = 0; ; pauseCount += 1) {
    const step = running.next();
    if (step.done === true) return { read: step.value, pauseCount };
    if (changesAtPause[pauseCount] === true) fleet.fold([service(`later-${pauseCount}`)]);
  }
}

test("[PB8] work that is not disturbed pauses where it yields", () => {
  expect(run([])).toEqual({ read: [1, 1], pauseCount: 1 });
});

test("[PB8] work starts again after a change", () => {
  expect(run([true, false])).toEqual({ read: [2, 2], pauseCount: 2 });
});

test("[PB8] work that is disturbed again and again runs to its end without pauses", () => {
  expect(run([true, true, true, true, true, true])).toEqual({ read: [4, 4], pauseCount: 3 });
});

test("[PB8] a cluster that the index does not have gives nothing", () => {
  expect(atOneMoment(buildFleet([]), "east", seesAll, countTwice).next()).toEqual({ done: true, value: undefined });
});
