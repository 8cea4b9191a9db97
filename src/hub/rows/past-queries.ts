// SPDX-License-Identifier: Apache-2.0
// Queries about past moments: their rows are loaded from the fleet log first.
import { FlotillaError } from "../../base/error.ts";
import { findMoment } from "../../index/language/find-moment.ts";
import { parseQuery } from "../../index/language/parse-query.ts";
import type { IndexPort } from "../index/index-port.ts";
import type { PastQuestion } from "../index/past-questions.ts";
import type { QueryViewer } from "../index/query-runs.ts";
import type { PastPlan } from "../past/past-messages.ts";
import type { PastClusterCoverage, PastReader } from "../past/past-reader.ts";
import {
  type ChangesAnswer,
  type ChangesQuery,
  type CoveredClusters,
  type CoveredMoment,
  type PastRowsProgress,
  type PastRowsQuery,
  plainQuery,
} from "./fleet-queries.ts";

export interface PastQueriesOptions {
  readonly reader: PastReader;
  readonly index: IndexPort;
  /** The subject as a viewer. Throws PERMISSION_DENIED for one that may not list rows. */
  readonly viewer: () => QueryViewer;
}

/** Runs a query that can be cancelled by its id. */
export type RunQuery = <Answer>(
  ask: (id: number, by: QueryViewer) => Promise<Answer>,
  signal?: AbortSignal,
) => Promise<Answer>;

/** Questions of one subject about past rows. */
export class PastQueries {
  readonly #options: PastQueriesOptions;
  readonly #run: RunQuery;

  constructor(options: PastQueriesOptions, run: RunQuery) {
    this.#options = options;
    this.#run = run;
  }

  /** Loads the rows of a question, and answers it with `ask`, which gets the id of the read. */
  ask<Answer extends CoveredClusters>(
    question: PastQuestion,
    ask: (id: number, by: QueryViewer, past: number) => Promise<Answer>,
    signal = new AbortController().signal,
  ): Promise<Answer> {
    let plan: PastPlan | undefined;
    return this.#options.reader.read(
      async (past) => {
        plan = await this.#open(past, question);
        return plan;
      },
      async (past, clusters) => {
        const answer = await this.#run((id, by) => ask(id, by, past), signal);
        return isWithDeleted(question) ? answer : { ...answer, moment: momentOf(plan, clusters) };
      },
      { signal },
    );
  }

  listChanges(query: ChangesQuery, signal: AbortSignal): Promise<ChangesAnswer> {
    const { index } = this.#options;
    return this.ask({ kind: "changes", query }, (id, by, past) => index.listChanges(id, by, query, past), signal);
  }

  async load(query: PastRowsQuery, report: (progress: PastRowsProgress) => void, signal: AbortSignal): Promise<void> {
    const question = toQuestion(query);
    let moments: readonly number[] = [];
    await this.#options.reader.read(
      async (past) => {
        const plan = await this.#open(past, question);
        moments = plan.moments;
        report({ readCount: 0, clusterCount: plan.clusters.length, moments });
        return plan;
      },
      async () => undefined,
      {
        signal,
        onProgress: ({ readCount, totalCount: clusterCount }) => report({ readCount, clusterCount, moments }),
      },
    );
  }

  #open(past: number, question: PastQuestion): Promise<PastPlan> {
    return this.#options.index.openPast(past, this.#options.viewer(), question);
  }
}

function toQuestion({ text, from, to }: PastRowsQuery): PastQuestion {
  if (from !== "" || to !== "") return { kind: "changes", query: { text, from, to, limit: 1, cursor: "" } };
  // A text that is not a query is refused here.
  if (findMoment(parseQuery(text)) === undefined)
    throw new FlotillaError("INVALID_ARGUMENT", "no moment is asked for; add `at` to the query, or give `from`");
  return { kind: "list", query: { ...plainQuery, text, limit: 0 } };
}

/** Deleted objects are part of an answer about the present. */
function isWithDeleted(question: PastQuestion): boolean {
  return question.kind === "list" && question.query.deleted !== undefined;
}

function momentOf(plan: PastPlan | undefined, clusters: readonly PastClusterCoverage[]): CoveredMoment {
  return {
    atMs: plan?.moments[0] ?? 0,
    receivedAtMs: new Map(
      clusters.filter(({ hasRows }) => hasRows).map(({ cluster, asOfMs }) => [cluster, asOfMs] as const),
    ),
  };
}
