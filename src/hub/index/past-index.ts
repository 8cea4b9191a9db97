// SPDX-License-Identifier: Apache-2.0
import type { LogPlace } from "../../store/fleet-log/fleet-log.ts";
import type { PastLoad, PastLoadOutcome, PastPlan, PastSegments, PlacedCluster } from "../past/past-messages.ts";
import type { ChangesAnswer, ChangesQuery } from "../rows/fleet-queries.ts";
import type { PastQuestion } from "./past-questions.ts";
import type { PastReads } from "./past-reads.ts";
import type { QueryViewer } from "./query-runs.ts";

/** The calls of the index about past rows. The main thread has the fleet log and brings its segments. */
export abstract class PastIndex {
  protected abstract readonly past: PastReads;

  /** Opens a read of the past rows that a question needs. `closePast` must follow. */
  async openPast(id: number, by: QueryViewer, question: PastQuestion): Promise<PastPlan> {
    return this.past.open(id, by, question);
  }

  /** Takes the places of a cluster's kinds in the fleet log, at each moment of the read. */
  async placePast(id: number, cluster: string, places: readonly (readonly LogPlace[])[]): Promise<PlacedCluster> {
    return this.past.tables.place(id, cluster, places);
  }

  /** What must be loaded for a placed cluster, in order. */
  async wantPast(id: number, cluster: string): Promise<readonly PastLoad[]> {
    return this.past.tables.want(id, cluster);
  }

  /** Folds segments of a load, in their order. */
  loadPast(id: number, page: PastSegments): Promise<PastLoadOutcome> {
    return this.past.tables.load(id, page);
  }

  /** All segments of a load were folded. */
  completePast(id: number, cluster: string, load: PastLoad): Promise<void> {
    return this.past.tables.complete(id, cluster, load);
  }

  /** What changed between the moments of a read. `id` names the call for `cancelQuery`. */
  listChanges(id: number, by: QueryViewer, query: ChangesQuery, past: number): Promise<ChangesAnswer> {
    return this.past.listChanges(id, past, by, query);
  }

  /** Ends a read, also one that is being loaded. */
  async closePast(id: number): Promise<void> {
    this.past.close(id);
  }
}
