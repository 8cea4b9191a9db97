// SPDX-License-Identifier: Apache-2.0

import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { matchGlob } from "../../base/match-glob.ts";
import { type Coverage, QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import { maxComparedObjects } from "../../index/compare/compare-objects.ts";
import { rbacResources } from "../../model/rbac-resources.ts";
import { callerOf, callOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { clusterNotFound } from "../clusters/cluster-registry.ts";
import { kindNames } from "../fleet-services/cluster-message.ts";
import { findKind } from "../fleet-services/find-kind.ts";
import {
  type CoveredClusters,
  type FleetQueries,
  maxQueryRows,
  type PastRowsProgress,
  plainQuery,
} from "../rows/fleet-queries.ts";
import type { TunnelBroker } from "../tunnels/tunnel-broker.ts";
import { askedUser, toAccessChange, toAccessRule, toExplanation, toViewerMessage } from "./access-messages.ts";
import { toComparedMessage, toProblem, toRelations } from "./analysis-messages.ts";
import { assertNameLengths, findAskedObject, objectText } from "./asked-object.ts";
import { type CoverageParts, describeCoverage } from "./coverage.ts";
import { toLoadPastResponse, toMomentField, toObjectChange } from "./past-answer-messages.ts";
import { limitOf, toFacet, toFleetQuery, toFoundObject, toGroup } from "./query-messages.ts";
import { newestReports } from "./report-progress.ts";
import { toViewMessages } from "./view-messages.ts";
import {
  assertVisibleCluster,
  checkClusterGlobs,
  listVisibleClusters,
  type VisibleClusterParts,
} from "./visible-clusters.ts";

export interface QueryServiceParts extends VisibleClusterParts, CoverageParts {
  readonly tunnels: Pick<TunnelBroker, "readObject">;
}

/** QueryService: queries over the fleet's rows, and reads from the clusters themselves (TU10). */
export function createQueryService(parts: QueryServiceParts): ServiceEntry {
  const { tunnels } = parts;
  const queriesOf = ({ values }: HandlerContext): FleetQueries => parts.fleet.reader.queries(callerOf(values).subject);
  const coverageOf = ({ clusters, resources, moment }: CoveredClusters, isFull = false): Coverage =>
    describeCoverage(parts, { clusters, resources, moment, isFull });
  return serviceEntry(QueryService, {
    async listObjects(request, context) {
      const answer = await queriesOf(context).list(toFleetQuery(request), context.signal);
      return {
        objects: answer.rows.map(toFoundObject),
        total: BigInt(answer.total),
        next: answer.next,
        facets: answer.facets.map(toFacet),
        groups: answer.groups.map(toGroup),
        leftOutGroupCount: BigInt(answer.leftOutGroupCount),
        canonicalQuery: answer.canonicalText,
        coverage: coverageOf(answer, request.fullCoverage),
        ...toMomentField(answer),
      };
    },

    async listObjectChanges(request, context) {
      const { query: text, from, to, cursor, fullCoverage } = request;
      const query = { text, from, to, cursor, limit: limitOf(request.limit) };
      const answer = await queriesOf(context).listChanges(query, context.signal);
      return {
        changes: answer.changes.map(toObjectChange),
        enteredCount: BigInt(answer.counts.entered),
        leftCount: BigInt(answer.counts.left),
        changedCount: BigInt(answer.counts.changed),
        next: answer.next,
        from: timestampFromMs(answer.fromMs),
        to: timestampFromMs(answer.toMs),
        coverage: coverageOf(answer, fullCoverage),
        canonicalQuery: answer.canonicalText,
      };
    },

    async *loadPast({ query: text, from, to }, context) {
      const queries = queriesOf(context);
      const reports = newestReports<PastRowsProgress>(
        (report, signal) => queries.loadPast({ text, from, to }, report, signal),
        context.signal,
      );
      for await (const progress of reports) yield toLoadPastResponse(progress);
    },

    async facets({ query: text, fields }, context) {
      const answer = await queriesOf(context).list({ ...plainQuery, text, limit: 0, facets: fields }, context.signal);
      return { total: BigInt(answer.total), facets: answer.facets.map(toFacet), coverage: coverageOf(answer) };
    },

    async *watchObjects(request, context) {
      const { query: text, sort, facets, countOnly, position } = request;
      const limit = countOnly ? 0 : limitOf(request.limit);
      const updates = queriesOf(context).watch({ text, sort, facets, limit, position }, context.signal);
      yield* toViewMessages(updates, coverageOf);
    },

    async problems({ query: text, limit, includeDegraded, problemId, cursor }, context) {
      const query = { text, limit: problemLimit(limit), includeDegraded, problemId, cursor };
      const answer = await queriesOf(context).listProblems(query, context.signal);
      return {
        problems: answer.problems.map(toProblem),
        leftOutCount: BigInt(answer.leftOutCount),
        objects: answer.rows.map(toFoundObject),
        next: answer.next,
        coverage: coverageOf(answer),
        ...toMomentField(answer),
      };
    },

    async compare(request, context) {
      const { query: text, goldenCluster, differingOnly, cursor } = request;
      const clusters = checkClusterGlobs(request.clusters);
      if (goldenCluster !== "") assertVisibleCluster(parts, goldenCluster, context);
      const limit = compareLimit(request.limit);
      const query = { text, clusters, goldenCluster, differingOnly, limit, cursor };
      const answer = await queriesOf(context).compare(query, context.signal);
      const objects = answer.objects.map((object) => toComparedMessage(object, kindNames.get(object.resource) ?? ""));
      return { objects, next: answer.next, coverage: coverageOf(answer), ...toMomentField(answer) };
    },

    async relations(request, context) {
      const object = await findAskedObject(parts, request, context);
      const answer = await queriesOf(context).findRelations(object, context.signal);
      if (answer !== undefined) return toRelations(answer);
      throw new FlotillaError("NOT_FOUND", `${objectText(object)} does not exist, or you may not see it`);
    },

    async complete({ query: text, caret }, context) {
      const { from, to, completions } = await queriesOf(context).complete(text, caret);
      return { from, to, completions: [...completions] };
    },

    async listAccessRulesForUser({ user, clusters: globs }, context) {
      const checked = checkClusterGlobs(globs);
      const clusters = listVisibleClusters(parts, context).filter(
        (id) => checked.length === 0 || checked.some((glob) => matchGlob(glob, id)),
      );
      const rules = await queriesOf(context).listAccessRules(askedUser(user), clusters);
      return { rules: rules.map(toAccessRule), coverage: coverageOf({ clusters, resources: rbacKinds }) };
    },

    async explainAccess(request, context) {
      const object = await findAskedObject(parts, request, context);
      const explanation = await queriesOf(context).explainAccess(askedUser(request.user), object);
      const judgement = parts.grants.of(object.cluster);
      const caveat =
        judgement.kind === "withheld"
          ? judgement.reason
          : "mayBeIncomplete" in judgement
            ? judgement.mayBeIncomplete
            : "";
      return toExplanation(explanation, caveat);
    },

    async listViewers(request, context) {
      const object = await findAskedObject(parts, request, context);
      const { viewers, leftOutCount } = await queriesOf(context).listViewers(object);
      return { viewers: viewers.map(toViewerMessage), leftOutCount: BigInt(leftOutCount) };
    },

    async previewAccess({ cluster, objects }, context) {
      assertVisibleCluster(parts, cluster, context);
      if (objects.length > maxPreviewObjects)
        throw new FlotillaError("INVALID_ARGUMENT", `at most ${maxPreviewObjects} objects can be tried at once`);
      const { changes, leftOutCount } = await queriesOf(context).previewAccess(cluster, objects);
      return { changes: changes.map(toAccessChange), leftOutCount: BigInt(leftOutCount) };
    },

    async explain({ query: text, sort, facets }, context) {
      const query = { ...plainQuery, text, limit: limitOf(0), sort, facets, explain: true };
      const answer = await queriesOf(context).list(query, context.signal);
      return {
        canonicalQuery: answer.canonicalText,
        plan: [...answer.plan],
        rowsRead: BigInt(answer.rowsRead),
        rowsMatched: BigInt(answer.total),
        tookMs: answer.tookMs,
        coverage: coverageOf(answer),
      };
    },

    async getObject({ cluster, kind, namespace, name }, { values, signal }) {
      if (parts.fleet.clusters.get(cluster) === undefined) throw clusterNotFound(cluster);
      // The agent validates names. Only the length is checked here, because the name is logged (TU11).
      assertNameLengths(namespace, name);
      const { subject } = callerOf(values);
      const { user, groups } = subject;
      const read = { user, groups, resource: await findKind(parts, subject, cluster, kind), namespace, name };
      const body = await tunnels.readObject({ cluster, read, log: callOf(values).log }, signal);
      return { object: toText(body, cluster) };
    },
  });
}

/** Objects of one preview. */
const maxPreviewObjects = 100;

const rbacKinds: ReadonlySet<string> = new Set(rbacResources);

function problemLimit(limit: number): number {
  return Math.min(limit === 0 ? 100 : limit, maxQueryRows);
}

function compareLimit(limit: number): number {
  return Math.min(limit === 0 ? 50 : limit, maxComparedObjects);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of the body, every byte unchanged (TU9). */
function toText(body: Uint8Array, cluster: string): string {
  try {
    return decoder.decode(body);
  } catch (reason) {
    throw new FlotillaError("MALFORMED", `the answer of the agent of ${cluster} is not UTF-8`, { cause: reason });
  }
}
