// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import {
  type ClusterObjects,
  ClusterObjectsSchema,
  type FleetCluster,
  FleetClusterSchema,
  type PageConnection,
  PageConnectionSchema,
} from "../../gen/flotilla/page/v1/page_pb.ts";
import { connectionSentence } from "../../health/health-state.ts";
import type { ClusterRecord } from "../fleet/cluster-record.ts";
import type { CredentialTerm } from "../fleet-services/credential-terms.ts";
import type { ClusterView } from "../health/cluster-view.ts";
import type { AgentFacts } from "./agent-book.ts";
import type { TroubleCount } from "./trouble-tally.ts";

/** What the tile of a cluster is made of. */
export interface ClusterTile {
  readonly record: ClusterRecord;
  readonly view: ClusterView;
  readonly agent: AgentFacts | undefined;
  readonly progress: { readonly equalCount: number; readonly followedCount: number };
  readonly queuePosition: number;
  /** "" = none waits to be accepted. */
  readonly replacedByUid: string;
  readonly strip: Uint8Array;
  /** Undefined where no end of its credential is known. */
  readonly credential: CredentialTerm | undefined;
}

/** A cluster without what its objects tell. */
export function toFleetCluster(tile: ClusterTile): FleetCluster {
  const { record, view, agent, progress, queuePosition, replacedByUid, strip, credential } = tile;
  const { metadata } = record;
  return create(FleetClusterSchema, {
    id: record.id,
    region: metadata.region,
    environment: metadata.environment,
    version: metadata.version,
    kubernetesVersion: metadata.kubernetesVersion,
    agentVersion: agent?.agentVersion ?? "",
    labels: Object.fromEntries([...metadata.labels, ...record.labels]),
    connection: toPageConnection(view, agent, queuePosition),
    isPaused: record.isPaused,
    isPending: !record.isApproved,
    source: record.source,
    caughtUpKindCount: progress.equalCount,
    followedKindCount: progress.followedCount,
    strip,
    replacedByUid,
    ...(credential === undefined
      ? {}
      : { credentialEndsMs: toInstant(credential.endsMs), credentialWarnMs: toInstant(credential.warnMs) }),
  });
}

function toPageConnection(view: ClusterView, agent: AgentFacts | undefined, queuePosition: number): PageConnection {
  const { state, sinceMs, reason, attemptCount, nextAttemptMs, isFlapping } = view.connection;
  const isLive = state === "live";
  return create(PageConnectionSchema, {
    state,
    sinceMs: toInstant(sinceMs),
    reason,
    sentence: isLive ? "" : connectionSentence(view.connection),
    attemptCount,
    isFlapping,
    queuePosition,
    incident: view.incident ?? 0,
    lagSeconds: Math.floor((agent?.lagMs ?? 0) / 1_000),
    ...(nextAttemptMs === undefined ? {} : { nextAttemptMs: toInstant(nextAttemptMs) }),
    // While it is live this would be another moment at every heartbeat.
    ...(isLive || view.lastSeenMs === undefined ? {} : { seenMs: toInstant(view.lastSeenMs) }),
  });
}

/** What its objects tell. */
export function toClusterObjects(objects: {
  readonly rowCount: number;
  readonly troubles: readonly TroubleCount[];
  readonly failingKinds: readonly string[];
}): ClusterObjects {
  return create(ClusterObjectsSchema, {
    rowCount: BigInt(objects.rowCount),
    unhealthy: objects.troubles.map(({ resource, kind, count }) => ({ resource, kind, count })),
    failingKinds: [...objects.failingKinds],
  });
}

/** A moment of the hub's monotonic clock, in whole milliseconds. */
export function toInstant(ms: number): bigint {
  return BigInt(Math.round(ms));
}
