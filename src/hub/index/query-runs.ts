// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { VisibilityUse } from "../../index/access/subject-grants.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import { checkQuery } from "../../index/language/check-query.ts";
import {
  fieldRefText,
  parseCountedFields,
  parseFieldRef,
  parseSort,
  printSort,
} from "../../index/language/field-ref.ts";
import { parseQuery } from "../../index/language/parse-query.ts";
import { printQuery } from "../../index/language/print-query.ts";
import type { QueryCatalog } from "../../index/language/query-catalog.ts";
import type { CheckedQuery, Predicate } from "../../index/language/query-predicate.ts";
import type { CursorBinding, CursorCodec } from "../../index/query/cursor-codec.ts";
import type { QueryAnswer, QueryRequest } from "../../index/query/query-request.ts";
import { runCompletion } from "../../index/query/run-completion.ts";
import { runQuery } from "../../index/query/run-query.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { FleetQuery, FleetQueryAnswer, QueryCompletions } from "../rows/fleet-queries.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type { FleetCatalogs } from "./fleet-catalog.ts";
import { planLines } from "./plan-lines.ts";
import { type QueriedMoment, toFoundRow } from "./queried-moment.ts";
import { QueryTurns } from "./query-turns.ts";
import type { Viewer } from "./row-viewer.ts";
import { selectedResources, selectsCluster } from "./selected-clusters.ts";
import { UserBudgets } from "./user-budgets.ts";

/** A viewer of queries: its clusters are those that the hub shows it at all. */
export interface QueryViewer {
  readonly viewer: Viewer;
  /** Undefined: all. */
  readonly clusters: ReadonlySet<string> | undefined;
  /** `live` for live views, which need `watch` too. Default: `list`. */
  readonly use?: VisibilityUse;
}

export interface QueryRunsOptions {
  readonly tables: FleetTables;
  readonly access: FleetAccess;
  readonly catalogs: FleetCatalogs;
  readonly cursors: CursorCodec;
  /** The fields of every registered cluster, with or without rows. */
  readonly clusterFields: ReadonlyMap<string, ClusterFields>;
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** Resolves after other work of the thread had the chance to run. */
  readonly pause: () => Promise<void>;
}

/** A query whose text was read and checked. */
export interface ReadQuery extends CheckedQuery {
  readonly catalog: QueryCatalog;
  readonly canonicalText: string;
  /** Of the registered clusters that the viewer may know of. */
  readonly clusters: readonly string[];
  /** The kinds that can match; undefined for all. */
  readonly resources: ReadonlySet<string> | undefined;
}

/** The time that a query may take. A reader waits no longer for an answer. */
const deadlineMs = 10_000;

/** The most visible rows that one query reads: four times the largest fleet that was measured. */
const maxRows = 20_000_000;

/** Runs queries in slices. Folds and other queries run in between. */
export class QueryRuns {
  readonly #options: QueryRunsOptions;
  readonly #cancelled = new Set<number>();
  readonly #running = new Set<number>();

  readonly #budgets: UserBudgets;
  readonly #turns: QueryTurns;

  constructor(options: QueryRunsOptions) {
    const { nowMs, pause } = options;
    this.#options = options;
    this.#budgets = new UserBudgets(nowMs);
    this.#turns = new QueryTurns({ nowMs, pause, charge: (user, tookMs) => this.#budgets.charge(user, tookMs) });
  }

  /** Reads and checks a query. Throws INVALID_ARGUMENT with the position of a mistake. */
  read(text: string, { viewer, clusters }: QueryViewer): ReadQuery {
    const { catalogs, clusterFields, wallMs } = this.#options;
    const catalog = catalogs.of(viewer, wallMs());
    const syntax = parseQuery(text);
    const checked = checkQuery(syntax, catalog, wallMs());
    const known = [...clusterFields.values()].filter(({ cluster }) => clusters?.has(cluster) ?? true);
    return {
      ...checked,
      catalog,
      canonicalText: printQuery(syntax),
      clusters: known.filter((fields) => selectsCluster(checked.filter, fields)).map(({ cluster }) => cluster),
      resources: selectedResources(checked.filter),
    };
  }

  /** Answers a query over the rows of a moment. `id` names it for `cancel`. */
  async run(
    id: number,
    by: QueryViewer,
    query: FleetQuery,
    moment: QueriedMoment = { fleet: this.#options.tables, atMs: undefined },
  ): Promise<FleetQueryAnswer> {
    const { nowMs } = this.#options;
    const startedMs = nowMs();
    const read = this.read(query.text, by);
    if (read.atMs !== undefined && moment.atMs === undefined) refuseMoment();
    const sort = parseSort(query.sort.join(","), read.catalog);
    const binding = bindingOfList(by, read, query);
    const request: QueryRequest = {
      ...this.#requestOf(read.filter, by, moment.atMs),
      limit: query.groupBy.length > 0 ? 0 : query.limit,
      sort,
      isUnordered: moment.deleted !== undefined,
      ...(query.cursor === "" ? {} : { after: this.#options.cursors.decode(query.cursor, binding).position }),
      facets: parseCountedFields(query.facets.join(","), "facets", read.catalog).map((ref) => ({ ref })),
      ...(query.groupBy.length === 0 ? {} : { group: groupOf(query, read.catalog) }),
      explain: query.explain,
    };
    const answer = await this.inSlices(id, by, runQuery(moment.fleet, request));
    return {
      ...this.#toAnswer(answer, binding, moment),
      canonicalText: read.canonicalText,
      clusters: read.clusters,
      resources: read.resources,
      plan: answer.plan === undefined ? [] : planLines(answer.plan),
      rowsRead: answer.plan?.readRowCount ?? 0,
      tookMs: nowMs() - startedMs,
    };
  }

  /** Continuations of a query text at a caret. A text that is not a query has none. */
  async complete(id: number, by: QueryViewer, text: string, caret: number): Promise<QueryCompletions> {
    const { tables, access, catalogs, wallMs } = this.#options;
    const { nowMs, budget } = this.#requestOf({ kind: "all" }, by);
    const catalog = catalogs.of(by.viewer, wallMs());
    const visibilityOf = visibilityFor(access, by);
    const request = { text, caret, catalog, visibilityOf, nowMs, budget };
    return this.inSlices(id, by, runCompletion(tables, request));
  }

  /** Ends a running query; it rejects with UNAVAILABLE. */
  cancel(id: number): void {
    if (this.#running.has(id)) this.#cancelled.add(id);
  }

  /**
   * Runs work in slices until it ends, its deadline passes or it is cancelled. Slices of users take turns. Throws
   * OVERLOADED if the user's queries took too much time (QL15). The hub itself has no such limit.
   */
  async inSlices<Result>(id: number, by: QueryViewer, work: Generator<void, Result, undefined>): Promise<Result> {
    const user = userOf(by.viewer);
    if (by.viewer.kind === "user") this.#budgets.admit(user);
    this.#running.add(id);
    try {
      const { nowMs } = this.#options;
      const endMs = nowMs() + deadlineMs;
      return await this.#turns.run(user, work, () => {
        if (nowMs() > endMs) throw overDeadline();
        if (this.#cancelled.has(id)) throw new FlotillaError("UNAVAILABLE", "the query was cancelled");
      });
    } finally {
      this.#running.delete(id);
      this.#cancelled.delete(id);
    }
  }

  /** `atMs`: the moment of the rows; undefined for the present. */
  #requestOf(filter: Predicate, by: QueryViewer, atMs?: number): Omit<QueryRequest, "limit" | "facets"> {
    const { access, nowMs, wallMs } = this.#options;
    const endMs = nowMs() + deadlineMs;
    return {
      filter,
      visibilityOf: visibilityFor(access, by),
      nowMs: atMs ?? wallMs(),
      budget: { maxRows, isOver: () => nowMs() > endMs },
    };
  }

  #toAnswer(
    answer: QueryAnswer,
    binding: CursorBinding,
    moment: QueriedMoment,
  ): Pick<FleetQueryAnswer, "rows" | "total" | "next" | "facets" | "groups" | "leftOutGroupCount"> {
    const { cursors } = this.#options;
    const atMs = moment.atMs ?? moment.deleted?.sinceMs;
    return {
      rows: answer.rows.map((found) => toFoundRow(moment, found)),
      total: answer.total,
      next: answer.next === undefined ? "" : cursors.encode({ position: answer.next, atMs }, binding),
      facets: answer.facets.map(({ ref, values, otherCount, noneCount }) => {
        return { field: fieldRefText(ref), values, otherCount, noneCount };
      }),
      groups: (answer.groups?.groups ?? []).map(({ values, count, min, max }) => {
        return { values, count, least: min, greatest: max };
      }),
      leftOutGroupCount: answer.groups?.otherCount ?? 0,
    };
  }
}

function groupOf({ groupBy, measure }: FleetQuery, catalog: QueryCatalog): NonNullable<QueryRequest["group"]> {
  return {
    by: parseCountedFields(groupBy.join(","), "groups", catalog),
    ...(measure === "" ? {} : { of: parseFieldRef(measure, catalog, { what: "measure" }) }),
  };
}

/** What the viewer may see, in the clusters that the hub shows it. */
export function visibilityFor(
  access: FleetAccess,
  { viewer, clusters, use }: QueryViewer,
): QueryRequest["visibilityOf"] {
  const ofCluster = access.createReader(viewer, use);
  return (cluster, resource) => (clusters?.has(cluster) === false ? { kind: "none" } : ofCluster(cluster, resource));
}

/** A cursor is valid for the user with these groups, the query and the order (QL10). */
export function bindingOf(viewer: Viewer, query: string, sort: string): CursorBinding {
  const user = viewer.kind === "hub" ? "" : JSON.stringify([viewer.subject.user, [...viewer.subject.groups].sort()]);
  return { user, query, sort };
}

/** The binding of a query's cursors. Those of answers with deleted objects are not valid for other answers. */
export function bindingOfList(
  by: QueryViewer,
  { catalog, canonicalText }: ReadQuery,
  query: FleetQuery,
): CursorBinding {
  const { sort, deleted } = query;
  const order = printSort(parseSort(sort.join(","), catalog));
  const part = deleted === undefined ? "" : deleted.isOnly ? " only deleted" : " with deleted";
  return bindingOf(by.viewer, canonicalText, order + part);
}

/** Refuses `at:` in a live view. */
export function refuseMoment(): never {
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    "`at` asks for a past moment, but a live view shows the present; remove it",
  );
}

/** The user whose budget a query takes: one person may have other groups from day to day. */
function userOf(viewer: Viewer): string {
  return viewer.kind === "hub" ? "" : viewer.subject.user;
}

function overDeadline(): FlotillaError {
  return new FlotillaError(
    "DEADLINE_EXCEEDED",
    "the query did not end before its deadline; narrow it by cluster, kind or namespace",
  );
}
