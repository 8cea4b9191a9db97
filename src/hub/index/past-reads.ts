// SPDX-License-Identifier: Apache-2.0
// Questions about past rows in the index thread: opens their reads, and answers from the rows that were loaded.
import { assert } from "../../base/assert.ts";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { CursorCodec } from "../../index/query/cursor-codec.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import { noneVisible } from "../../rbac/visibility.ts";
import { FleetWithDeleted } from "../past/deleted-fleet.ts";
import { dependsOnTime, findChanges } from "../past/find-changes.ts";
import type { PastPlan } from "../past/past-messages.ts";
import { PastTables } from "../past/past-tables.ts";
import type { ChangesAnswer, ChangesQuery } from "../rows/fleet-queries.ts";
import type { FleetAccess } from "./fleet-access.ts";
import { bindingOfChanges, momentsOf, type PastMoments, type PastQuestion } from "./past-questions.ts";
import type { QueriedMoment } from "./queried-moment.ts";
import { type QueryRuns, type QueryViewer, type ReadQuery, visibilityFor } from "./query-runs.ts";
import { WorkTurns } from "./work-turns.ts";

export interface PastReadsOptions {
  readonly tables: FleetTables;
  readonly access: FleetAccess;
  readonly runs: QueryRuns;
  readonly cursors: CursorCodec;
  readonly clusterFields: ReadonlyMap<string, ClusterFields>;
  readonly codec: Codec;
  readonly hasher: Hasher;
  readonly clock: Pick<Clock, "wallMs" | "setTimer">;
  readonly pause: () => Promise<void>;
  /** The limit on the memory of past rows; the default where left out. */
  readonly limitBytes?: number | undefined;
}

/** For how long rows are kept for the next question after the last one ended. */
const keptMs = 300_000;

interface OpenQuestion extends PastMoments {
  readonly isOnlyDeleted: boolean;
}

export class PastReads {
  readonly #options: PastReadsOptions;
  readonly #open = new Map<number, OpenQuestion>();
  #cancelClear: CancelTimer = () => undefined;
  /** Loads the rows of open reads. */
  readonly tables: PastTables;

  constructor(options: PastReadsOptions) {
    this.#options = options;
    const { tables: present, clusterFields, codec, hasher, pause, limitBytes } = options;
    const turns = new WorkTurns(pause);
    this.tables = new PastTables({
      codec,
      hasher,
      present,
      takeTurn: (rowCount) => turns.take(rowCount),
      fieldsOf: (cluster) => clusterFields.get(cluster) ?? { cluster, region: "", environment: "" },
      ...(limitBytes === undefined ? {} : { limitBytes }),
    });
  }

  /** Opens a read of the rows that a question needs. `close` must follow. Throws INVALID_ARGUMENT for a mistake. */
  open(id: number, by: QueryViewer, question: PastQuestion): PastPlan {
    const { runs, cursors, clock } = this.#options;
    const read = runs.read(question.query.text, by);
    const { purpose, moments } = momentsOf(question, { by, read, cursors, nowMs: clock.wallMs() });
    const clusters = clustersOf(question, read);
    // Objects of other kinds explain a problem, whatever kinds the query selects.
    const resources = question.kind === "problems" ? undefined : read.resources;
    this.#cancelClear();
    this.#open.set(id, {
      purpose,
      moments,
      isOnlyDeleted: question.kind === "list" && question.query.deleted?.isOnly === true,
    });
    const visibilityOf = visibilityFor(this.#options.access, by);
    const selected = new Set(clusters);
    this.tables.open(id, {
      purpose,
      moments,
      visibilityOf: (cluster, resource) =>
        selected.has(cluster) && resources?.has(resource) !== false ? visibilityOf(cluster, resource) : noneVisible,
      withUnchanged: dependsOnTime(read.filter),
    });
    return { moments, clusters, resources };
  }

  /** The loaded rows of an open read, for queries. Throws UNAVAILABLE for a read that is not open. */
  momentOf(id: number): QueriedMoment {
    const open = this.#open.get(id);
    if (open?.purpose !== "deletes") return { fleet: this.tables.fleet(id), atMs: open?.moments[0] };
    const fleet = this.tables.deleted(id);
    const deleted = { fleet, sinceMs: open.moments[0] ?? 0 };
    const { tables: present } = this.#options;
    return { fleet: open.isOnlyDeleted ? fleet : new FleetWithDeleted(present, fleet), atMs: undefined, deleted };
  }

  /** The changes between the moments of an open read. `runId` names the run for `cancel`. */
  async listChanges(runId: number, id: number, by: QueryViewer, query: ChangesQuery): Promise<ChangesAnswer> {
    const { runs, access, cursors } = this.#options;
    const [before, after] = (this.#open.get(id)?.moments ?? []).map((atMs, moment) => ({
      fleet: this.tables.fleet(id, moment),
      atMs,
    }));
    assert(before !== undefined && after !== undefined, "a read of changes has two moments");
    const read = runs.read(query.text, by);
    const binding = bindingOfChanges(by, read, query);
    const found = await runs.inSlices(
      runId,
      by,
      findChanges({
        filter: read.filter,
        visibilityOf: visibilityFor(access, by),
        before,
        after,
        limit: query.limit,
        afterKey: query.cursor === "" ? undefined : cursors.decode(query.cursor, binding).position.key,
      }),
    );
    const [fromMs, toMs] = [before.atMs, after.atMs];
    const next =
      found.next === undefined
        ? ""
        : cursors.encode({ position: { values: [fromMs, toMs], key: found.next }, atMs: undefined }, binding);
    const { canonicalText, clusters, resources } = read;
    return { changes: found.changes, counts: found.counts, next, fromMs, toMs, canonicalText, clusters, resources };
  }

  /** Ends a read, also one that is being loaded. Rows that no read uses are released some minutes later. */
  close(id: number): void {
    this.tables.close(id);
    if (!this.#open.delete(id) || this.#open.size > 0) return;
    this.#cancelClear();
    this.#cancelClear = this.#options.clock.setTimer(keptMs, () => this.tables.clear());
  }

  closeAll(): void {
    this.#cancelClear();
    for (const id of this.#open.keys()) this.tables.close(id);
    this.#open.clear();
    this.tables.clear();
  }
}

/** A comparison also reads the cluster that all others are compared with. */
function clustersOf(question: PastQuestion, { clusters }: ReadQuery): readonly string[] {
  const golden = question.kind === "compare" ? question.query.goldenCluster : "";
  return golden === "" || clusters.includes(golden) ? clusters : [...clusters, golden];
}
