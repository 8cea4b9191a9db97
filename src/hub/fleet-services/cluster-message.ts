// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Cluster,
  ClusterSchema,
  type Connection,
  ConnectionSchema,
  type KindCoverage,
  KindCoverageSchema,
  type RefusedAgent,
  RefusedAgentSchema,
  type Session,
  SessionSchema,
} from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { connectionSentence } from "../../health/health-state.ts";
import type { KindFreshness } from "../../health/kind-freshness.ts";
import { defaultKinds, derivedKinds } from "../../kinds/all-kinds.ts";
import { secretKind } from "../../kinds/secret-kind.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { resourceIdText } from "../../model/gvr.ts";
import { cutText } from "../../model/text.ts";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import { type ClusterView, rowsAtMs } from "../health/cluster-view.ts";
import type { ClusterSummary, KindSummary } from "../rows/fleet-reader.ts";
import type { StoredSession } from "../sessions/claim-store.ts";
import type { LiveView } from "../sessions/session-requests.ts";
import type { FleetParts } from "./fleet-parts.ts";
import type { KindDetail } from "./kind-details.ts";

/** The collector's sessions (shard "") by cluster: the newest stored one, and the live one. */
export interface CollectorSessions {
  readonly stored: ReadonlyMap<string, StoredSession>;
  readonly live: ReadonlyMap<string, LiveView>;
}

/** Loads the stored and live sessions. */
export async function loadSessions({ fleet }: FleetParts): Promise<CollectorSessions> {
  const ofCollector = <T extends { readonly cluster: string; readonly shard: string }>(
    all: readonly T[],
  ): ReadonlyMap<string, T> => new Map(all.filter(({ shard }) => shard === "").map((each) => [each.cluster, each]));
  return { stored: ofCollector(await fleet.claims.list()), live: ofCollector(fleet.sessions.list()) };
}

/** What was read for showing a cluster. */
export interface ClusterReading {
  readonly sessions: CollectorSessions;
  /** Undefined if the caller may not see facts about objects (L17). */
  readonly summary: ClusterSummary | undefined;
}

/** The current state of a cluster as a message. */
export function toClusterMessage(
  parts: FleetParts,
  record: ClusterRecord,
  { sessions, summary }: ClusterReading,
): Cluster {
  const { fleet, health, details, credentials, clock } = parts;
  const { metadata } = record;
  const term = credentials.of(record.id);
  const view = health.get(parseClusterId(record.id));
  const session = toSession(parts, record.id, sessions);
  const connection = view === undefined ? undefined : toConnection(parts, view, details.positionOf(record.id));
  return create(ClusterSchema, {
    id: record.id,
    region: metadata.region,
    environment: metadata.environment,
    version: metadata.version,
    kubernetesVersion: metadata.kubernetesVersion,
    labels: Object.fromEntries([...metadata.labels, ...record.labels]),
    isPaused: record.pause !== undefined,
    pausedBy: record.pause?.by ?? "",
    ...(record.pause === undefined ? {} : { pausedAt: timestampFromMs(record.pause.atMs) }),
    isPending: !record.isApproved,
    source: record.source,
    createdAt: timestampFromMs(record.createdAtMs),
    ...(summary === undefined
      ? { objectsHidden: true }
      : { kinds: toKinds(parts, record.id, summary), rowCount: BigInt(summary.rowCount) }),
    isLoading: !fleet.restore.has(record.id),
    includedNamespaces: [...record.namespaces.included],
    excludedNamespaces: [...record.namespaces.excluded],
    revision: record.revision,
    ...(connection === undefined ? {} : { connection }),
    ...(session === undefined ? {} : { session }),
    ...toRefused(parts, record),
    ...(term === undefined
      ? {}
      : { credentialExpiresAt: timestampFromMs(clock.wallMs() + Math.round(term.endsMs - clock.nowMs())) }),
  });
}

/** The newest refused agent, and the uid that waits for acceptance if that was the reason (SE7). */
function toRefused(
  { details, clock }: FleetParts,
  { id, clusterUid }: ClusterRecord,
): { readonly refusedAgent?: RefusedAgent; readonly replacedByUid?: string } {
  const refused = details.refusedOf(id);
  if (refused === undefined) return {};
  const { agentId, address, reason, detail, clusterUid: shown } = refused.facts;
  if (reason === "WRONG_CLUSTER" && shown === clusterUid) return {};
  const replacedByUid = details.replacementOf(id, clusterUid, clock.nowMs());
  const refusedMsAgo = toDuration(clock.nowMs() - refused.atMs);
  const refusedAgent = create(RefusedAgentSchema, { agentId, address, reason, detail, refusedMsAgo });
  return { refusedAgent, replacedByUid };
}

function toConnection({ clock }: FleetParts, view: ClusterView, position: number): Connection {
  const nowMs = clock.nowMs();
  const { state, sinceMs, reason, attemptCount, nextAttemptMs, isFlapping } = view.connection;
  const rowsAt = rowsAtMs(view);
  return create(ConnectionSchema, {
    state,
    sinceMsAgo: toDuration(nowMs - sinceMs),
    reason,
    message: state === "live" ? "" : connectionSentence(view.connection),
    attemptCount,
    isFlapping,
    position,
    ...(nextAttemptMs === undefined ? {} : { nextAttemptInMs: toDuration(nextAttemptMs - nowMs) }),
    ...(rowsAt === undefined ? {} : { seenMsAgo: toDuration(nowMs - rowsAt) }),
  });
}

function toSession({ clock }: FleetParts, id: string, { stored, live }: CollectorSessions): Session | undefined {
  const known = stored.get(id);
  if (known === undefined) return undefined;
  const present = live.get(id);
  const heardMsAgo = present?.heardMsAgo ?? clock.wallMs() - (known.endedAtMs ?? known.connectedAtMs);
  return create(SessionSchema, {
    isActive: present !== undefined,
    agentId: known.agentId,
    agentVersion: known.agentVersion,
    address: known.address,
    connectedAt: timestampFromMs(known.connectedAtMs),
    lastMessageMsAgo: toDuration(heardMsAgo),
    epoch: BigInt(known.epoch),
  });
}

/** Every kind that has rows or that the agent reported, sorted by name. */
export function toKinds(
  { health, details, clock }: FleetParts,
  id: string,
  { kinds }: Pick<ClusterSummary, "kinds">,
): KindCoverage[] {
  const nowMs = clock.nowMs();
  const summaries = new Map(kinds.map((each) => [each.resource, each]));
  const freshness = new Map(health.kinds(parseClusterId(id)).map((each) => [each.resource, each]));
  const reported = details.kindsOf(id);
  const resources = new Set([...summaries.keys(), ...freshness.keys(), ...reported.keys()]);
  const maxErrorBytes = Math.max(
    leastErrorBytes,
    Math.min(mostErrorBytes, Math.floor(allErrorsBytes / resources.size)),
  );
  return [...resources].sort().map((resource) =>
    toKind(resource, {
      summary: summaries.get(resource),
      fresh: freshness.get(resource),
      detail: reported.get(resource),
      trouble: toTrouble(summaries.get(resource), clock.wallMs()),
      nowMs,
      maxErrorBytes,
    }),
  );
}

/**
 * Maximum bytes of all error texts of a cluster together, so that thousands of failing kinds of one agent cannot fill a
 * message shared with other clusters (L14).
 */
const allErrorsBytes = 131_072;

/** Bytes of one error text: at most two terminal lines or so, and with thousands of kinds at least the beginning. */
const [leastErrorBytes, mostErrorBytes] = [64, 1_024];

/** Kind names of the kinds with a file of their own. Names of other kinds come from their rows. */
export const kindNames: ReadonlyMap<string, string> = new Map(
  [...defaultKinds, ...derivedKinds, secretKind].map(({ resource, kind }) => [resourceIdText(resource), kind]),
);

/** Unhealthy and degraded objects of a kind (HE19). */
type KindTrouble = Partial<Pick<KindCoverage, "unhealthyCount" | "degradedCount" | "troubledMsAgo">>;

function toTrouble(summary: KindSummary | undefined, wallMs: number): KindTrouble {
  const { unhealthy: unhealthyCount = 0, degraded: degradedCount = 0 } = summary?.statusCounts ?? {};
  if (unhealthyCount + degradedCount === 0) return {};
  const sinceMs = summary?.troubledSinceMs;
  const since = sinceMs === undefined ? {} : { troubledMsAgo: toDuration(wallMs - sinceMs) };
  return { unhealthyCount, degradedCount, ...since };
}

interface KindParts {
  readonly summary: KindSummary | undefined;
  readonly fresh: KindFreshness | undefined;
  readonly detail: KindDetail | undefined;
  readonly trouble: KindTrouble;
  readonly nowMs: number;
  readonly maxErrorBytes: number;
}

function toKind(resource: string, { summary, fresh, detail, trouble, nowMs, maxErrorBytes }: KindParts): KindCoverage {
  const facts = detail?.facts;
  const sinceMsAgo = detail === undefined ? 0 : detail.facts.sinceMsAgo + nowMs - detail.heardMs;
  return create(KindCoverageSchema, {
    resource,
    kind: kindNames.get(resource) ?? summary?.kind ?? "",
    state: fresh?.state ?? "unknown",
    version: facts?.version ?? "",
    rowCount: BigInt(summary?.rowCount ?? 0),
    sinceMsAgo: toDuration(sinceMsAgo),
    fault: fresh?.fault ?? "",
    verb: facts?.verb ?? "",
    error: cutText(fresh?.text ?? "", maxErrorBytes),
    refusedCount: facts?.refusedCount ?? 0,
    refusedError: cutText(facts?.refusedError ?? "", maxErrorBytes),
    leftOutCount: BigInt(facts?.leftOutCount ?? 0),
    ...trouble,
    ...(fresh?.ageMs === undefined ? {} : { currentMsAgo: toDuration(fresh.isCurrent ? 0 : fresh.ageMs) }),
  });
}

/** Whole milliseconds; a negative duration becomes 0. */
function toDuration(ms: number): bigint {
  return BigInt(Math.max(0, Math.round(ms)));
}
