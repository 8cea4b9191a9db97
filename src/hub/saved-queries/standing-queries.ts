// SPDX-License-Identifier: Apache-2.0
// Evaluates all standing queries of the fleet. One hub at a time does, under the lease of the fleet's tasks.
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError, hasCode } from "../../base/error.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import { retry } from "../../base/time/retry.ts";
import type { Revision } from "../../model/revision.ts";
import { followTable } from "../../store/follow-table.ts";
import type { Fence, Store } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import type { HeldLease } from "../fleet-tasks.ts";
import type { QueryAuditLog } from "./query-audit.ts";
import { standingQueryPrefix } from "./query-places.ts";
import type { StandingQueryPorts } from "./standing-query-ports.ts";
import { fromStandingBody, type StandingQueryRecord } from "./standing-query-record.ts";
import { StandingQueryRunner } from "./standing-query-runner.ts";
import { StandingStateStore } from "./standing-state-store.ts";

export interface StandingQueriesOptions extends Omit<StandingQueryPorts, "schedule"> {
  readonly store: Store;
  readonly audit: QueryAuditLog;
}

/** Evaluations at once: other queries of the index come between them. */
const laneCount = 4;

/** A query that failed unexpectedly is run again; its own failures are handled inside. */
const runBackoff = { firstMs: 1_000, factor: 2, capMs: 60_000, stableMs: 60_000 };

/** A running query. */
interface RunningQuery {
  readonly revision: Revision;
  readonly stop: AbortController;
}

/** Follows the definitions and runs each that is not paused. */
export class StandingQueries {
  readonly #options: StandingQueriesOptions;
  readonly #lanes = new KeyedMutex();
  #nextLane = 0;

  constructor(options: StandingQueriesOptions) {
    this.#options = options;
  }

  /** A `FleetTask`: runs while the lease is held, until the signal aborts, then throws its reason. */
  async run({ fence, signal }: HeldLease): Promise<void> {
    const { store, clock, random, log } = this.#options;
    const running = new Map<string, RunningQuery>();
    const runs = new KeyedMutex();
    const ends = new Set<Promise<void>>();
    const start = (record: StandingQueryRecord): void => {
      const stop = new AbortController();
      running.set(record.id, { revision: record.revision, stop });
      const both = AbortSignal.any([signal, stop.signal]);
      // The run of the earlier definition has ended before this one begins.
      const end = runs.run(record.id, () => this.#runUntil(record, fence, both)).finally(() => ends.delete(end));
      ends.add(end);
    };
    try {
      await followTable(
        {
          store,
          table: objects,
          prefix: standingQueryPrefix,
          what: "following the standing queries",
          clock,
          random,
          log,
        },
        {
          ids: () => running.keys(),
          set: (id, value, revision) => {
            const known = running.get(id);
            if (value !== null && known?.revision === revision) return;
            known?.stop.abort(new Error("the standing query has changed"));
            running.delete(id);
            const record = value === null ? undefined : this.#read(id, value.body, revision);
            if (record?.isPaused === false) start(record);
          },
        },
        signal,
      );
    } finally {
      for (const { stop } of running.values()) stop.abort(new Error("the standing queries end"));
      await Promise.all(ends);
    }
  }

  /** Runs one definition until the signal aborts. A failure harms only this query (L14). */
  async #runUntil(record: StandingQueryRecord, fence: Fence, signal: AbortSignal): Promise<void> {
    const { store, audit, clock, random } = this.#options;
    const log = this.#options.log.with({ query: record.id });
    const ports = { ...this.#options, log, schedule: this.#schedule };
    const attempt = async (inner: AbortSignal, markHealthy: () => void): Promise<void> => {
      try {
        markHealthy();
        const states = new StandingStateStore(record, { store, audit, fence });
        await new StandingQueryRunner(record, states, ports).run(inner);
      } catch (reason) {
        if (isCancellation(inner, reason)) throw reason;
        if (!(reason instanceof FlotillaError)) log.error("a standing query failed unexpectedly", {}, reason);
        throw new FlotillaError("UNAVAILABLE", "the standing query could not be run", { cause: reason });
      }
    };
    try {
      await retry(attempt, { what: "running a standing query", clock, random, log, backoff: runBackoff }, signal);
    } catch (reason) {
      if (!isCancellation(signal, reason)) throw reason;
    }
  }

  readonly #schedule = <Result>(evaluate: () => Promise<Result>): Promise<Result> => {
    this.#nextLane = (this.#nextLane + 1) % laneCount;
    return this.#lanes.run(String(this.#nextLane), evaluate);
  };

  /** An unreadable definition is logged and not run, so that it harms no other (L14). */
  #read(id: string, body: Uint8Array, revision: Revision): StandingQueryRecord | undefined {
    try {
      return fromStandingBody(id, body, revision);
    } catch (reason) {
      if (!hasCode(reason, "STORE_CORRUPT")) throw reason;
      this.#options.log.error("a stored standing query cannot be read", { query: id, reason: reason.message });
      return undefined;
    }
  }
}
