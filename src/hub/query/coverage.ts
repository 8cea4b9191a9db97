// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import {
  type ClusterCoverage,
  ClusterCoverageSchema,
  type Coverage,
  CoverageSchema,
  type KindAge,
  KindAgeSchema,
} from "../../gen/flotilla/query/v1/query_pb.ts";
import { connectionSentence } from "../../health/health-state.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { isRbacResource } from "../../model/rbac-resources.ts";
import type { GrantsMonitor } from "../access/grants-monitor.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import { rowsAtMs } from "../health/cluster-view.ts";
import type { CoveredMoment } from "../rows/fleet-queries.ts";

export interface CoverageParts extends Pick<FleetParts, "fleet" | "health" | "clock"> {
  readonly grants: Pick<GrantsMonitor, "of">;
}

/** What an answer is about. */
export interface CoveredRead {
  /** The clusters that the query selects, among those that the caller may know of. */
  readonly clusters: readonly string[];
  /** The kinds that the query selects; undefined for all. */
  readonly resources: ReadonlySet<string> | undefined;
  /** Whether complete clusters are listed too. */
  readonly isFull: boolean;
  /** Left out for the present. */
  readonly moment?: CoveredMoment | undefined;
}

/** A cluster, and how its rows count. */
interface JudgedCluster {
  readonly coverage: ClusterCoverage;
  readonly isLoading: boolean;
  readonly isStale: boolean;
  readonly isComplete: boolean;
}

/** Which clusters an answer is about, which of them were not read or are not current, and why (L9, L10). */
export function describeCoverage(parts: CoverageParts, { clusters, resources, isFull, moment }: CoveredRead): Coverage {
  const judged = clusters.map((id) =>
    moment === undefined ? judgeCluster(parts, id, resources) : judgePast(parts, id, moment),
  );
  const countOf = (isCounted: (cluster: JudgedCluster) => boolean): number => judged.filter(isCounted).length;
  const readCount = countOf(({ coverage }) => coverage.isRead);
  const staleCount = countOf(({ coverage, isStale }) => coverage.isRead && isStale);
  const loadingCount = countOf(({ isLoading }) => isLoading);
  return create(CoverageSchema, {
    clusterCount: clusters.length,
    readCount,
    staleCount,
    loadingCount,
    sentence: coverageSentence({ clusterCount: clusters.length, readCount, staleCount, loadingCount }),
    clusters: judged
      .filter(({ isComplete, coverage }) => isFull || !isComplete || coverage.reason !== "")
      .map(({ coverage }) => coverage),
    isComplete: judged.every(({ isComplete }) => isComplete),
  });
}

/** While rows are loaded after a start, the progress. */
function coverageSentence(
  counts: Pick<Coverage, "clusterCount" | "readCount" | "staleCount" | "loadingCount">,
): string {
  const { clusterCount, readCount, staleCount, loadingCount } = counts;
  if (loadingCount > 0) return `Rebuilding indices...${clusterCount - loadingCount}/${clusterCount} clusters queried`;
  const read = `${readCount} of ${clusterCount} ${clusterCount === 1 ? "cluster" : "clusters"}`;
  return staleCount === 0 ? read : `${read}, ${staleCount} stale`;
}

function judgeCluster(
  { fleet, health, clock, grants }: CoverageParts,
  id: string,
  resources: ReadonlySet<string> | undefined,
): JudgedCluster {
  const cluster = parseClusterId(id);
  const view = health.get(cluster);
  const state = view?.connection.state ?? "neverSeen";
  const judgement = grants.of(id);
  const isLoading = !fleet.restore.has(id);
  const isRead = !isLoading && judgement.kind === "open";
  const asOfMs = view === undefined ? undefined : rowsAtMs(view);
  const kinds = state === "live" ? oldKinds(health.kinds(cluster), resources) : [];
  const isStale = state !== "live" || kinds.length > 0;
  const reasons = [
    isLoading ? "The hub is loading its rows after a start." : "",
    judgement.kind === "withheld" && !isLoading ? judgement.reason : "",
    "mayBeIncomplete" in judgement ? judgement.mayBeIncomplete : "",
    view !== undefined && state !== "live" ? connectionSentence(view.connection) : "",
  ];
  const reason = reasons.find((each) => each !== "") ?? "";
  return {
    coverage: create(ClusterCoverageSchema, {
      cluster: id,
      state,
      isRead,
      reason,
      kinds,
      ...(asOfMs === undefined
        ? {}
        : { asOfMsAgo: toMsAgo(clock.nowMs() - (state === "live" ? clock.nowMs() : asOfMs)) }),
    }),
    isLoading,
    isStale,
    isComplete: isRead && !isStale && !("mayBeIncomplete" in judgement),
  };
}

/**
 * A cluster in an answer about a past moment. Its rows are those that the hub had received: they are not stale for being
 * old now. The rights of now decide, so a cluster whose grants are not known now is not read.
 */
function judgePast({ fleet, health, clock, grants }: CoverageParts, id: string, moment: CoveredMoment): JudgedCluster {
  const judgement = grants.of(id);
  const isLoading = !fleet.restore.has(id);
  const isRead = !isLoading && judgement.kind === "open";
  const receivedAtMs = moment.receivedAtMs.get(id);
  const reasons = [
    isLoading ? "The hub is loading its rows after a start." : "",
    judgement.kind === "withheld" && !isLoading ? judgement.reason : "",
    "mayBeIncomplete" in judgement ? judgement.mayBeIncomplete : "",
    isRead && !moment.receivedAtMs.has(id) ? "The hub had no such rows of it at that moment." : "",
  ];
  return {
    coverage: create(ClusterCoverageSchema, {
      cluster: id,
      state: health.get(parseClusterId(id))?.connection.state ?? "neverSeen",
      isRead,
      reason: reasons.find((each) => each !== "") ?? "",
      ...(receivedAtMs === undefined ? {} : { asOfMsAgo: toMsAgo(clock.wallMs() - receivedAtMs) }),
    }),
    isLoading,
    isStale: false,
    isComplete: isRead && !("mayBeIncomplete" in judgement),
  };
}

type Freshness = ReturnType<FleetParts["health"]["kinds"]>;

/**
 * The kinds of a live cluster whose rows are not current: those of the query, and the RBAC kinds, which decide what every
 * query shows.
 */
function oldKinds(kinds: Freshness, resources: ReadonlySet<string> | undefined): KindAge[] {
  return kinds
    .filter(({ resource, isCurrent, state }) => {
      const counts = resources === undefined || resources.has(resource) || isRbacResource(resource);
      return !isCurrent && state !== "notInstalled" && counts;
    })
    .map(({ resource, ageMs, text, state }) =>
      create(KindAgeSchema, {
        resource,
        reason: text === "" ? state : text,
        ...(ageMs === undefined ? {} : { asOfMsAgo: toMsAgo(ageMs) }),
      }),
    );
}

function toMsAgo(ms: number): bigint {
  return BigInt(Math.max(0, Math.round(ms)));
}
