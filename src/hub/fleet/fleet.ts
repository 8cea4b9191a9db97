// SPDX-License-Identifier: Apache-2.0
// Assembles the hub's fleet: sessions in, fleet rows and a change feed out. RPC services and listeners are elsewhere.

import { orAborted, untilAborted } from "../../base/abort.ts";
import { createId } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import { runTogether } from "../../base/run-together.ts";
import { passingGuard, type TaskGuard } from "../../base/task-guard.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type ClusterSize, defaultClusterLimits } from "../../index/fold/cluster-size.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import { idPrefixes } from "../../model/names.ts";
import { hubGroups } from "../../rbac/hub-roles.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import { Admission, defaultAdmissionRate } from "../../session/hub/admission.ts";
import { defaultIngestBudgetBytes } from "../../session/hub/credit-budget.ts";
import { defaultFirstSyncCount } from "../../session/hub/first-syncs.ts";
import { defaultSessionLimits, type SessionLimits } from "../../session/hub/session-limits.ts";
import type { ProofVerifier } from "../../session/proof.ts";
import type { AcceptStream } from "../../session/transport.ts";
import type { FleetLog } from "../../store/fleet-log/fleet-log.ts";
import type { Store } from "../../store/store.ts";
import { type ClusterIdentity, findIdentity } from "../access/cluster-identities.ts";
import type { AccessSampler } from "../access-drift/sample-round.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Actor } from "../audit/audit-record.ts";
import type { ClusterRecord, ClusterSource } from "../clusters/cluster-record.ts";
import { ClusterRegistration } from "../clusters/cluster-registration.ts";
import { ClusterRegistry } from "../clusters/cluster-registry.ts";
import { drawsPerSample } from "../index/access-sampling.ts";
import type { IndexPort } from "../index/index-port.ts";
import { runCheckpoints } from "../ingest/checkpoints.ts";
import { Restore } from "../ingest/fleet-restore.ts";
import { Ingest } from "../ingest/ingest.ts";
import { IngestShares } from "../ingest/ingest-shares.ts";
import { LogFollower } from "../ingest/log-follower.ts";
import { LogSizes } from "../ingest/log-sizes.ts";
import { ChangeFeed } from "../rows/change-feed.ts";
import type { FleetReader } from "../rows/fleet-reader.ts";
import { FleetRows } from "../rows/fleet-rows.ts";
import { IndexFleetReader } from "../rows/index-fleet-reader.ts";
import { ClaimStore } from "../sessions/claim-store.ts";
import { HeldStreams } from "../sessions/held-streams.ts";
import { SessionAdmission } from "../sessions/session-admission.ts";
import type { SessionFeed } from "../sessions/session-feed.ts";
import { SessionOpener } from "../sessions/session-opener.ts";
import { SessionTable } from "../sessions/session-table.ts";
import { createSessionTelemetry } from "../sessions/session-telemetry.ts";
import { StreamAcceptor } from "../sessions/stream-acceptor.ts";
import { createFleetCounters } from "./fleet-counters.ts";
import { RowVisibility } from "./row-visibility.ts";

/** Settings of the fleet. `defaultFleetSettings` has the defaults. */
export interface FleetSettings {
  readonly limits: SessionLimits;
  /** `--claim-grace-period`. */
  readonly claimGraceMs: number;
  /** `--admission-rate`, sessions a second. */
  readonly admissionRate: number;
  readonly firstSyncCount: number;
  readonly ingestBudgetBytes: number;
  readonly drainMs: number;
  /** `--max-cluster-rows`, `--max-cluster-kinds`, `--max-cluster-size`. */
  readonly clusterLimits: ClusterSize;
}

/** SE10, SE32, SE22, SE21, SE31, SE57. */
export const defaultFleetSettings: FleetSettings = {
  limits: defaultSessionLimits,
  claimGraceMs: 60_000,
  admissionRate: defaultAdmissionRate,
  firstSyncCount: defaultFirstSyncCount,
  ingestBudgetBytes: defaultIngestBudgetBytes,
  drainMs: 5_000,
  clusterLimits: defaultClusterLimits,
};

/** The id of a hub that shares its stores with no other. */
export const soleHubId = "sole";

/** The ports and settings of a fleet. */
export interface FleetOptions {
  readonly store: Store;
  readonly fleetLog: FleetLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The rows of the fleet, in a thread of their own. */
  readonly index: IndexPort;
  readonly verifier: ProofVerifier;
  /** The hub's name in challenges. It must never change (SE6). */
  readonly hubName: string;
  /**
   * Identifies this hub among the hubs on one store. Unchanged by a restart; contains no spaces. Default: `soleHubId`.
   */
  readonly hubId?: string;
  /** The source of a cluster that joins with a token. Default: `agent`. */
  readonly sourceOf?: ((clusterId: string) => ClusterSource) | undefined;
  readonly settings?: Partial<FleetSettings>;
  /** Who the hub's users are in clusters; the same names where left out. */
  readonly identities?: readonly ClusterIdentity[];
  /**
   * The interval at which the fleet log is polled for appends of other hubs. Omitted if this hub is the only one on its
   * stores.
   */
  readonly followMs?: number;
}

/** The parts that a fleet shares with the rest of the hub. */
export interface FleetContext {
  readonly audit: AuditLog;
  /** Decides synchronously which users may read rows. */
  readonly authorizer: CallAuthorizer;
  /** Receives the events of the sessions. */
  readonly sessionFeed: SessionFeed;
  /** Runs the cluster listeners. Without it, errors of a listener reach the caller. */
  readonly guard?: TaskGuard;
  /** Called before the rows of a cluster are shown. What it withholds is not shown for a moment (RB84). */
  readonly beforeShown?: (cluster: string) => void;
}

export interface Fleet {
  readonly accept: AcceptStream;
  readonly clusters: ClusterRegistry;
  readonly clusterRegistration: ClusterRegistration;
  readonly sessions: SessionTable;
  readonly claims: ClaimStore;
  /** The only way to show rows and changes to users. */
  readonly reader: FleetReader;
  readonly fleetRows: FleetRows;
  /** Whether a cluster's RBAC rows were complete, and whether its rows are withheld from users. */
  readonly grants: Pick<FleetRows, "isRbacComplete" | "setWithheld" | "setApplications">;
  /** Requests to compare with each cluster's own answers. */
  readonly sampler: AccessSampler;
  /** The rows themselves. Nothing but the reader shows them. */
  readonly index: IndexPort;
  readonly feed: ChangeFeed;
  readonly restore: Restore;
  /** Reports that another hub appended to the fleet log up to this position. A lost call only delays the read. */
  noteAppended(position: number): void;
  /**
   * Loads the fleet's rows and follows the clusters until the signal aborts, then drains. Rejects with an error that is
   * not transient.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Writes checkpoints, once everything is loaded, until the signal aborts. Then throws the signal's reason. Only one
   * hub of the fleet runs this.
   */
  runCheckpoints(signal: AbortSignal): Promise<void>;
  /** Removes a cluster's registration, history and rows. Returns false if it was not registered. */
  removeCluster(id: string, by?: Actor): Promise<boolean>;
}

/** Creates a fleet over open stores. Streams may arrive at once; they are decided after `run` has begun. */
export function createFleet(
  options: FleetOptions,
  { audit, authorizer, sessionFeed, guard = passingGuard, beforeShown }: FleetContext,
): Fleet {
  const { store, fleetLog, clock, random, log, index, verifier, hubName } = options;
  const { hubId = soleHubId, followMs, sourceOf, identities = [] } = options;
  const settings: FleetSettings = { ...defaultFleetSettings, ...options.settings };
  const { limits, claimGraceMs: graceMs, clusterLimits, drainMs } = settings;
  const { heartbeatMs } = limits;
  const maxKindCount = clusterLimits.kindCount;
  const counters = createFleetCounters(options.metrics);
  const fleetRows = new FleetRows(index, log);
  const feed = new ChangeFeed(createId(idPrefixes.feed, random));
  const sizes = new LogSizes();
  const clusters = new ClusterRegistry({ store, audit, clock, random, log, guard });
  const clusterRegistration = new ClusterRegistration({ store, audit, registry: clusters, clock, random, sourceOf });
  const restore = new Restore({ fleetLog, fleetRows, sizes, clock, random, log, counters });
  const ingest = new Ingest({ fleetLog, fleetRows, feed, counters, sizes });
  const follower =
    followMs === undefined
      ? undefined
      : new LogFollower({ fleetLog, fleetRows, ingest, restore, sizes, clock, random, log, pollMs: followMs });
  const shares = new IngestShares({
    budgetBytes: settings.ingestBudgetBytes,
    maxShareBytes: limits.maxCreditBytes,
    firstSyncCount: settings.firstSyncCount,
    usedBytes: counters.ingestBytes,
  });
  const claims = new ClaimStore({ store, clock, heartbeatMs, graceMs, hubId });
  const admission = new SessionAdmission({
    hubName,
    registry: clusters,
    verifier,
    claims,
    fleetLog,
    admission: new Admission(settings.admissionRate),
    clock,
    heartbeatMs,
    maxKindCount,
    untilLoaded: (cluster) => restore.untilLoaded(cluster),
  });
  sessionFeed.subscribe(createSessionTelemetry(counters, log));
  const held = new HeldStreams(clusters);
  const { liveSessions } = counters;
  const sessions = new SessionTable({ clock, log, registry: clusters, feed: sessionFeed, liveSessions });
  const closing = new AbortController();
  const opener = new SessionOpener({
    live: { clock, log, ingest, shares, fleetRows, claims, feed: sessionFeed },
    registry: clusters,
    admission,
    held,
    table: sessions,
    catchUp: async (cluster, durable) => {
      // The epoch was raised before, so no other hub can append to the cluster any more.
      if (follower !== undefined) return follower.reach();
      return ingest.between(cluster, async () => {
        const applied = fleetRows.applied(cluster) ?? { incarnation: "", seq: 0 };
        const isSame = applied.incarnation === durable.incarnation && applied.seq === durable.seq;
        if (!isSame) await restore.reload(cluster, closing.signal);
      });
    },
  });
  const acceptor = new StreamAcceptor({
    clock,
    random,
    log,
    guard,
    feed: sessionFeed,
    hubName,
    limits,
    maxKindCount,
    drainMs,
    claims,
    admission,
    held,
    opener,
  });
  clusters.listen((id, record) => {
    fleetRows.setFields(id, record === undefined ? undefined : fieldsOf(record));
    fleetRows.setIdentity(id, findIdentity(identities, id));
    fleetRows.setOwnerGroup(id, record?.source === "adopted" ? hubGroups.admins : undefined);
  });
  const visibility = new RowVisibility({
    clock,
    log,
    clusters,
    fleetRows,
    restore,
    follower,
    feed: sessionFeed,
    beforeShown,
  });
  const loaded = Promise.withResolvers<void>();

  return {
    accept: acceptor.accept,
    clusters,
    clusterRegistration,
    sessions,
    claims,
    reader: new IndexFleetReader({
      index,
      fleetLog,
      rows: fleetRows,
      feed,
      clock,
      clusterIds: () => clusters.list().map(({ id }) => id),
      authorizer,
      log,
    }),
    fleetRows,
    grants: fleetRows,
    sampler: {
      drawSamples: (cluster, count) =>
        index.drawAccessSamples(
          cluster,
          Array.from({ length: count * drawsPerSample }, () => random.next()),
        ),
      answer: (cluster, requests) => index.answerRequests(cluster, requests),
    },
    index,
    feed,
    restore,
    noteAppended: (position) => follower?.noteAppended(position),
    async run(signal) {
      const from = follower === undefined ? undefined : await fleetLog.headPosition();
      try {
        await acceptor.start();
        await runTogether(
          [
            (both) => clusters.run(both),
            async (both) => {
              await restore.run(both, from);
              loaded.resolve();
              await untilAborted(both);
            },
            ...(follower === undefined || from === undefined ? [] : [(both: AbortSignal) => follower.run(from, both)]),
          ],
          signal,
        );
      } finally {
        await acceptor.close();
        await visibility.settled();
        closing.abort(new Error("the fleet is closed"));
      }
    },
    async runCheckpoints(signal) {
      await orAborted(loaded.promise, signal);
      await runCheckpoints({ fleetLog, fleetRows, sizes, clock, log }, signal);
    },
    async removeCluster(id, by) {
      const isKnown = await clusterRegistration.removeCluster(id, by);
      await claims.forget(id);
      await fenceOut(fleetLog, id);
      await ingest.between(id, async () => {
        while ((await fleetLog.removeCluster(id)).more);
        await fleetRows.removeCluster(id);
        sizes.removeCluster(id);
      });
      return isKnown;
    },
  };
}

function fieldsOf({ id, metadata: { region, environment } }: ClusterRecord): ClusterFields {
  return { cluster: id, region, environment };
}

/** Raises the epoch, so that a session at any hub that has not seen the removal yet cannot append. */
async function fenceOut(fleetLog: FleetLog, cluster: string): Promise<void> {
  for (;;) {
    const progress = await fleetLog.progress(cluster, "");
    if (progress === undefined) return;
    if ((await fleetLog.raiseEpoch(cluster, "", progress.epoch + 1)).kind === "raised") return;
  }
}
