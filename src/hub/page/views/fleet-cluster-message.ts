// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import {
  type ClusterObjects,
  ClusterObjectsSchema,
  type FleetCluster,
  FleetClusterSchema,
} from "../../../gen/flotilla/page/v1/page_pb.ts";
import { connectionSentence, type PauseMemory } from "../../../health/health-state.ts";
import type { ClusterRecord } from "../../clusters/cluster-record.ts";
import type { CredentialWarning } from "../../fleet-services/credential-terms.ts";
import type { ClusterView } from "../../health/cluster-view.ts";
import type { IncidentReturn } from "../../history/incident-ledger.ts";
import type { TroubleCount } from "./unhealthy-objects.ts";

/** Facts of a cluster that do not depend on its connection. */
export interface FleetClusterFacts {
  readonly record: ClusterRecord;
  readonly agentVersion: string;
  /** "": no replacement waits to be accepted. */
  readonly replacedByUid: string;
  /** Undefined if the end of its credential is unknown. */
  readonly credential: CredentialWarning | undefined;
  /** Undefined while not paused. */
  readonly pause: PauseMemory | undefined;
}

/** The facts of a FleetCluster. */
export function toFacts({ record, agentVersion, replacedByUid, credential, pause }: FleetClusterFacts): FleetCluster {
  const { metadata } = record;
  return create(FleetClusterSchema, {
    id: record.id,
    region: metadata.region,
    environment: metadata.environment,
    version: metadata.version,
    kubernetesVersion: metadata.kubernetesVersion,
    agentVersion,
    labels: Object.fromEntries([...metadata.labels, ...record.labels]),
    isPaused: pause !== undefined,
    ...(pause === undefined ? {} : { pausedBy: pause.by, pausedMs: toInstant(pause.sinceMs) }),
    isPending: !record.isApproved,
    source: record.source,
    replacedByUid,
    ...(credential === undefined
      ? {}
      : { credentialEndsMs: toInstant(credential.endsMs), credentialWarnMs: toInstant(credential.warnMs) }),
  });
}

/** The current state of a cluster's connection. */
export interface ClusterStanding {
  readonly view: ClusterView;
  readonly progress: { readonly equalCount: number; readonly followedCount: number };
  readonly queuePosition: number;
  readonly lagSeconds: number;
  readonly nextAttemptMs: number | undefined;
  readonly dataAtMs: number | undefined;
  readonly returns: readonly IncidentReturn[];
}

/** The connection of a FleetCluster. */
export function toConnection(standing: ClusterStanding): FleetCluster {
  const { view, progress, queuePosition, lagSeconds, nextAttemptMs, dataAtMs, returns } = standing;
  const { state, sinceMs, reason, attemptCount, isFlapping } = view.connection;
  return create(FleetClusterSchema, {
    connection: {
      state,
      sinceMs: toInstant(sinceMs),
      reason,
      sentence: state === "live" ? "" : connectionSentence(view.connection),
      attemptCount,
      isFlapping,
      queuePosition,
      incident: view.incident ?? 0,
      lagSeconds,
      ...(nextAttemptMs === undefined ? {} : { nextAttemptMs: toInstant(nextAttemptMs) }),
      ...(dataAtMs === undefined ? {} : { seenMs: toInstant(dataAtMs) }),
    },
    caughtUpKindCount: progress.equalCount,
    followedKindCount: progress.followedCount,
    returns: [...returns],
  });
}

/** The object counts of a FleetCluster. */
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

/** A time on the hub's monotonic clock, in whole milliseconds. */
export function toInstant(ms: number): bigint {
  return BigInt(Math.round(ms));
}
