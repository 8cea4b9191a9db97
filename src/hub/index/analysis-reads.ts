// SPDX-License-Identifier: Apache-2.0
// Problems, comparisons and relations, over what a viewer may see. Each runs in slices.
import { matchGlob } from "../../base/match-glob.ts";
import type { BaselineDifference } from "../../index/compare/baseline-difference.ts";
import type { ComparedObject } from "../../index/compare/compare-object.ts";
import { type CompareObjectsRequest, compareObjects, compareWithCluster } from "../../index/compare/compare-objects.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import { findProblems } from "../../index/problems/find-problems.ts";
import { listProblemObjects } from "../../index/problems/list-problem-objects.ts";
import type { CursorBinding, CursorCodec } from "../../index/query/cursor-codec.ts";
import { findObject } from "../../index/query/find-object.ts";
import type { QueryKey } from "../../index/query/query-request.ts";
import { findRelations, type RelationsAnswer } from "../../index/relations/find-relations.ts";
import { type SelectionOf, selectRows } from "../../index/relations/table-selection.ts";
import { createRowFilter } from "../../index/scan/row-filter.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type {
  CompareAnswer,
  CompareQuery,
  FoundFleetRow,
  ProblemQuery,
  ProblemsAnswer,
  QueriedObject,
} from "../rows/fleet-queries.ts";
import type { FleetAccess } from "./fleet-access.ts";
import { type QueriedMoment, toFoundRow } from "./queried-moment.ts";
import { bindingOf, type QueryRuns, type QueryViewer, type ReadQuery, visibilityFor } from "./query-runs.ts";

export interface AnalysisReadsOptions {
  readonly tables: FleetTables;
  readonly access: FleetAccess;
  readonly runs: QueryRuns;
  readonly cursors: CursorCodec;
  readonly hasher: Hasher;
  readonly wallMs: () => number;
}

export class AnalysisReads {
  readonly #options: AnalysisReadsOptions;

  constructor(options: AnalysisReadsOptions) {
    this.#options = options;
  }

  /** The problems, or the objects of one of them. `id` names the run for `cancel`. */
  async listProblems(id: number, by: QueryViewer, query: ProblemQuery, moment: QueriedMoment): Promise<ProblemsAnswer> {
    const { access, runs, hasher } = this.#options;
    const { fleet } = moment;
    const read = runs.read(query.text, by);
    const scope = {
      visibilityOf: visibilityFor(access, by),
      clusters: read.clusters,
      withDegraded: query.includeDegraded,
      ...(read.filter.kind === "all" ? {} : { selectionOf: this.#selectionOf(read, moment) }),
      hasher,
    };
    const covered = { clusters: read.clusters, resources: read.resources };
    if (query.problemId === "") {
      const found = await runs.inSlices(id, by, findProblems(fleet, { ...scope, limit: query.limit }));
      const leftOutCount = found.problemCount - found.problems.length;
      return { ...covered, problems: found.problems, leftOutCount, rows: [], next: "" };
    }
    const cursor = this.#cursorOf(bindingOfProblem(by, read, query), moment);
    const after = cursor.decode(query.cursor);
    const request = { ...scope, id: query.problemId, limit: query.limit, ...(after === undefined ? {} : { after }) };
    const page = await runs.inSlices(id, by, listProblemObjects(fleet, request));
    return {
      ...covered,
      problems: [],
      leftOutCount: 0,
      rows: page.objects.flatMap(({ key }) => rowOf(moment, key)),
      next: page.next === undefined ? "" : cursor.encode(page.next),
    };
  }

  async compare(id: number, by: QueryViewer, query: CompareQuery, moment: QueriedMoment): Promise<CompareAnswer> {
    const { access, runs } = this.#options;
    const { fleet, atMs } = moment;
    const read = runs.read(query.text, by);
    const isCompared = (cluster: string): boolean =>
      query.clusters.length === 0 || query.clusters.some((glob) => matchGlob(glob, cluster));
    const clusters = read.clusters.filter(isCompared);
    const cursor = this.#cursorOf(bindingOfComparison(by, read, query), moment);
    const after = cursor.decode(query.cursor);
    const request = {
      visibilityOf: visibilityFor(access, by),
      clusters,
      // A cluster that had no rows at a past moment may not have been there, so absence proves nothing.
      isComplete: (cluster: string) =>
        access.isShown(cluster) && (atMs === undefined || fleet.get(cluster) !== undefined),
      ...(read.filter.kind === "all" ? {} : { selectionOf: this.#selectionOf(read, moment) }),
      ...(after === undefined ? {} : { after }),
      limit: query.limit,
      onlyDifferent: query.differingOnly,
    };
    const page =
      query.goldenCluster === ""
        ? await runs.inSlices(id, by, compareObjects(fleet, request))
        : await this.#compareWith(id, by, query.goldenCluster, { fleet, request });
    const next = page.next === undefined ? "" : cursor.encode({ cluster: "", ...page.next });
    return { clusters, resources: read.resources, objects: page.objects, next };
  }

  findRelations(id: number, by: QueryViewer, key: QueriedObject): Promise<RelationsAnswer | undefined> {
    const { tables, access, runs } = this.#options;
    return runs.inSlices(id, by, findRelations(tables, { key, visibilityOf: visibilityFor(access, by) }));
  }

  async #compareWith(
    id: number,
    by: QueryViewer,
    golden: string,
    { fleet, request }: Pick<QueriedMoment, "fleet"> & { readonly request: CompareObjectsRequest },
  ): Promise<{ readonly objects: readonly ComparedObject[]; readonly next: Omit<QueryKey, "cluster"> | undefined }> {
    const page = await this.#options.runs.inSlices(id, by, compareWithCluster(fleet, golden, request));
    return { objects: page.objects.map((difference) => toCompared(difference, golden)), next: page.next };
  }

  #selectionOf({ filter }: ReadQuery, { fleet, atMs }: QueriedMoment): SelectionOf {
    const nowMs = atMs ?? this.#options.wallMs();
    return (id, resource) => {
      const cluster = fleet.get(id);
      const table = cluster?.tables.get(resource);
      if (cluster === undefined || table === undefined) return "none";
      return selectRows(createRowFilter(filter, { table, resource, fields: cluster.fields, nowMs }), table.count);
    };
  }

  /** Cursors that are keys. */
  #cursorOf(
    binding: CursorBinding,
    { atMs }: QueriedMoment,
  ): { decode(text: string): QueryKey | undefined; encode(key: QueryKey): string } {
    const { cursors } = this.#options;
    return {
      decode: (text) => (text === "" ? undefined : cursors.decode(text, binding).position.key),
      encode: (key) => cursors.encode({ position: { values: [], key }, atMs }, binding),
    };
  }
}

/** The binding of cursors of a problem's objects. What is asked stands in the place of the order. */
export function bindingOfProblem(
  { viewer }: QueryViewer,
  { canonicalText }: ReadQuery,
  { problemId }: ProblemQuery,
): CursorBinding {
  return bindingOf(viewer, canonicalText, `problem ${problemId}`);
}

/** As `bindingOfProblem`. */
export function bindingOfComparison(
  { viewer }: QueryViewer,
  { canonicalText }: ReadQuery,
  { clusters, goldenCluster }: CompareQuery,
): CursorBinding {
  return bindingOf(viewer, canonicalText, `compare ${JSON.stringify([clusters, goldenCluster])}`);
}

function rowOf(moment: QueriedMoment, key: QueryKey): readonly FoundFleetRow[] {
  const row = findObject(moment.fleet, key);
  return row === undefined ? [] : [toFoundRow(moment, { ...key, row })];
}

/** A difference from one cluster in the form of a comparison: the value of that cluster comes first. */
function toCompared(difference: BaselineDifference, golden: string): ComparedObject {
  const { resource, namespace, name, missingIn, extraIn, differences, otherDifferenceCount } = difference;
  const isExtra = extraIn.length > 0;
  return {
    resource,
    namespace,
    name,
    presentIn: isExtra ? extraIn : [golden],
    missingIn: isExtra ? [golden] : missingIn,
    unknownIn: [],
    noAccessIn: [],
    differences: differences.map(({ field, baselineValue, values, otherValueCount }) => ({
      field,
      areVersions: false,
      values: [{ value: baselineValue, clusters: [golden] }, ...values],
      otherValueCount,
    })),
    otherDifferenceCount,
    newest: undefined,
    oldest: undefined,
    images: [],
  };
}
