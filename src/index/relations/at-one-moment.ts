// SPDX-License-Identifier: Apache-2.0
import { type ReadableFleet, type VisibilityOf, VisibleCluster } from "./visible-cluster.ts";

/** How often work on a cluster starts again because rows changed, before it runs to its end in one step. */
const maxRestarts = 2;

/**
 * Runs work that holds row numbers of one cluster, and yields where it yields. Rows may change meanwhile: then the work
 * starts again, and after some attempts it runs without pauses. The result is that of one moment; undefined if the
 * index has no such cluster.
 */
export function* atOneMoment<Result>(
  fleet: ReadableFleet,
  id: string,
  visibilityOf: VisibilityOf,
  work: (cluster: VisibleCluster) => Generator<void, Result, undefined>,
): Generator<void, Result | undefined, undefined> {
  for (let restarts = 0; ; restarts += 1) {
    const tables = fleet.get(id);
    if (tables === undefined) return undefined;
    const cluster = new VisibleCluster(id, tables, visibilityOf);
    const running = work(cluster);
    for (;;) {
      const step = running.next();
      if (step.done === true) return step.value;
      if (restarts > maxRestarts) continue;
      yield;
      if (!cluster.isCurrent(fleet)) break;
    }
  }
}
