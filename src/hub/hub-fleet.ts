// SPDX-License-Identifier: Apache-2.0
// Composes the fleet, its health, and the services over both.
import { FlotillaError } from "../base/error.ts";
import { createId } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import { runTogether } from "../base/run-together.ts";
import { connectionSentence } from "../health/health-state.ts";
import { createThresholds, type Thresholds } from "../health/thresholds.ts";
import { parseClusterId } from "../model/cluster-id.ts";
import { idPrefixes } from "../model/names.ts";
import type { CallAuthorizer } from "../rpc/auth/authorize-call.ts";
import type { ServiceEntry } from "../rpc/server/connect-router.ts";
import { createSessionService } from "../rpc/session/session-service.ts";
import { createCountedGuard } from "../telemetry/task-failures.ts";
import { createClusterStateService } from "./cluster-state/cluster-state-service.ts";
import { type ClusterRecord, toPauseFacts } from "./clusters/cluster-record.ts";
import { createFleet, type Fleet, type FleetOptions, soleHubId } from "./fleet/fleet.ts";
import { createClusterService } from "./fleet-services/cluster-service.ts";
import { createClusterStateSource } from "./fleet-services/cluster-state-source.ts";
import { CredentialTerms } from "./fleet-services/credential-terms.ts";
import type { FleetParts } from "./fleet-services/fleet-parts.ts";
import { createJoinCall } from "./fleet-services/join-call.ts";
import { createJoinTokenService } from "./fleet-services/join-service.ts";
import { KindDetails } from "./fleet-services/kind-details.ts";
import { createRowService } from "./fleet-services/row-service.ts";
import { defaultTaskLeaseMs, type FleetTask, type HeldLease, runFleetTasks } from "./fleet-tasks.ts";
import { ClusterHealth, type HealthSink } from "./health/cluster-health.ts";
import { ObjectGauges } from "./health/object-gauges.ts";
import { observeFleet } from "./health/observe-fleet.ts";
import { Webhook, type WebhookOptions } from "./health/webhook.ts";
import { TransitionHistory } from "./history/transition-history.ts";
import { ClusterImports } from "./imports/cluster-imports.ts";
import { type ClusterProbe, createClusterProbe } from "./imports/probe-cluster.ts";
import { createJoining, type Joining, type JoiningPorts } from "./joining/joining.ts";
import { createPage } from "./page/page.ts";
import { PageRecords } from "./page/page-records.ts";
import { type Retention, runRetention } from "./retention.ts";
import { SessionFeed } from "./sessions/session-feed.ts";
import { createQueryService } from "./tunnels/query-service.ts";
import { TunnelBroker } from "./tunnels/tunnel-broker.ts";

/** The options of a fleet, without the feed and guard made here, plus those of health and services. */
export interface HubFleetOptions extends Omit<FleetOptions, "sessionFeed" | "guard"> {
  /** The CA of the hub's self-made certificate in PEM; "" when the operator supplied a certificate. */
  readonly hubCa: () => string;
  readonly thresholds: Partial<Thresholds>;
  /** Receives incidents. Left out: no webhook. */
  readonly webhook?: Pick<WebhookOptions, "url" | "secret" | "send"> | undefined;
  /** `--allow-loopback-imports`; false by default. */
  readonly allowsLoopbackImports?: boolean;
  /** Decides synchronously what viewers of the page may see. Left out: they see nothing (L16). */
  readonly authorizer?: CallAuthorizer;
  /** Version of the served page (PG26). Left out: the page's streams carry no version. */
  readonly pageVersion?: string;
  /** Identifies a cluster at its import. Left out: a connection of the hub's own, without proxies. */
  readonly probe?: ClusterProbe;
  /** Ports for joining by URL (IN10 to IN17). Left out: joining by URL is refused. */
  readonly joining?: JoiningPorts;
  /** Retention besides that of the histories. */
  readonly retentions?: readonly Retention[];
  /** Work besides the fleet's own that one hub does for all. */
  readonly fleetTasks?: readonly FleetTask[];
  /** How long such work is left undone when the hub that does it dies; the default where left out. */
  readonly taskLeaseMs?: number;
}

export interface HubFleet {
  readonly fleet: Fleet;
  readonly health: ClusterHealth;
  /** Clusters that the hub reaches itself. The process that runs the hub also runs their agents. */
  readonly imports: ClusterImports;
  readonly services: readonly ServiceEntry[];
  /** The route of join manifests, and the callback for TLS handshakes that clients aborted. */
  readonly joining: Pick<Joining, "route" | "noteHandshake">;
  /** Runs until the signal aborts, then drains its sessions. Rejects with the first permanent failure. */
  run(signal: AbortSignal): Promise<void>;
}

/** Creates the fleet over open stores. Nothing runs before `run`. */
export function createHubFleet(options: HubFleetOptions): HubFleet {
  const { clock, random, metrics, hubName, hubCa } = options;
  const runId = createId(idPrefixes.run, random);
  const guard = createCountedGuard(options);
  const sessionFeed = new SessionFeed(guard);
  const fleet = createFleet({ ...options, guard, sessionFeed });
  const health = new ClusterHealth({
    clock,
    metrics,
    thresholds: createThresholds(options.thresholds),
    runId,
    guard,
  });
  const history = new TransitionHistory({ ...options, runId });
  const records = new PageRecords({ ...options, runId, transitions: history, clusters: fleet.clusters, health });
  const webhook = options.webhook === undefined ? undefined : new Webhook({ ...options, ...options.webhook, runId });
  const digestRequests: HealthSink = {
    proofWanted: (cluster, epoch) => fleet.sessions.askForDigests(cluster, epoch),
  };
  for (const sink of [history, records.sink, digestRequests, ...(webhook === undefined ? [] : [webhook])])
    health.addSink(sink);
  const details = new KindDetails();
  const credentials = new CredentialTerms();
  const tunnels = new TunnelBroker({
    ...options,
    sessions: fleet.sessions,
    whyAway: (cluster) => disconnectReason(health, cluster),
  });
  const parts: FleetParts = { fleet, health, details, credentials, clock };
  const joining = createJoining({ ...options, ...(options.joining ?? noJoining), parts: () => parts });
  const imports = new ClusterImports({
    ...options,
    registry: fleet.clusters,
    probe: options.probe ?? createClusterProbe({ clock, userAgent: "flotilla-hub", environment: {} }),
    allowsLoopback: options.allowsLoopbackImports ?? false,
  });
  const join = createJoinCall({ clusterRegistration: fleet.clusterRegistration, hubName, clock });
  const authorizer = options.authorizer ?? denyAll;
  const page = createPage({ ...options, parts, records, runId, guard, authorizer });
  const subscribers = [
    observeFleet(health),
    details.handlers,
    credentials.handlers,
    records.agents.handlers,
    records.sessions.handlers,
    page.handlers,
    tunnels.handlers,
    joining.handlers,
  ];
  for (const handlers of subscribers) sessionFeed.subscribe(handlers);
  return {
    fleet,
    health,
    imports,
    joining,
    services: [
      createSessionService({
        accept: fleet.accept,
        acceptTunnel: tunnels.accept,
        join: (request, address) => joining.register(request.clusterId, address, () => join(request, address)),
      }),
      createClusterService(parts, imports, authorizer),
      createJoinTokenService({ clusterRegistration: fleet.clusterRegistration, hubName, hubCa }),
      joining.service,
      createRowService(parts),
      createQueryService(parts, tunnels),
      createClusterStateService(createClusterStateSource(parts)),
      page.service,
    ],
    async run(signal) {
      const unlisten = await followClusters(parts, (id) => reportImportFailure(imports, health, id, options.log));
      health.start();
      const retentions = [history.retention, records.sessions.retention, ...(options.retentions ?? [])];
      const tasks: readonly FleetTask[] = [
        (held) => fleet.runCheckpoints(held.signal),
        (held) => runRetention(retentions, options, held),
        ...(webhook === undefined ? [] : [(held: HeldLease) => webhook.run(held.signal)]),
        ...(options.fleetTasks ?? []),
      ];
      const { taskLeaseMs: leaseMs = defaultTaskLeaseMs, hubId = soleHubId } = options;
      try {
        const gauges = new ObjectGauges({ fleetRows: fleet.fleetRows, clock, metrics, guard });
        await runTogether(
          [
            ...[fleet, history, page, gauges].map((each) => (both: AbortSignal) => each.run(both)),
            (both) => runFleetTasks(tasks, { ...options, hubId, runId, leaseMs }, both),
          ],
          signal,
        );
      } finally {
        health.stop();
        unlisten();
        await page.close();
      }
    },
  };
}

/** Why the agent is not connected, as a sentence; "" while it is live or unknown. */
function disconnectReason(health: ClusterHealth, cluster: string): string {
  const view = health.get(parseClusterId(cluster));
  return view === undefined || view.connection.state === "live" ? "" : connectionSentence(view.connection);
}

const noJoining: JoiningPorts = {
  publicName: () => {
    throw new FlotillaError("CONFIG_INVALID", "this hub serves no join URLs");
  },
  renderManifest: () => "",
};

const denyAll: CallAuthorizer = { isAllowed: () => false };

/**
 * Judges each cluster while it is registered. Until its first session in this run, its age is that of the last stored
 * session (L9).
 */
async function followClusters(
  { fleet, health, clock }: FleetParts,
  reportFailure: (id: string) => Promise<void>,
): Promise<() => void> {
  const seenAtMs = new Map<string, number>();
  for (const { cluster, shard, endedAtMs, connectedAtMs } of await fleet.claims.list()) {
    if (shard === "") seenAtMs.set(cluster, endedAtMs ?? connectedAtMs);
  }
  const follow = (id: string, record: ClusterRecord | undefined): void => {
    const cluster = parseClusterId(id);
    if (record === undefined) {
      seenAtMs.delete(id);
      health.remove(cluster);
      return;
    }
    const { metadata } = record;
    const pause = toPauseFacts(record, clock.wallMs());
    const lastAtMs = seenAtMs.get(id);
    const lastSeenMsAgo = lastAtMs === undefined ? undefined : Math.max(0, clock.wallMs() - lastAtMs);
    health.add(cluster, { region: metadata.region, pause, lastSeenMsAgo });
    health.setRegion(cluster, metadata.region);
    health.feed(cluster, { kind: "paused", pause });
    if (record.clusterUid === "") void reportFailure(id);
  };
  return fleet.clusters.listen(follow);
}

/** Reports why an imported cluster has not answered yet. Never rejects. */
async function reportImportFailure(
  imports: ClusterImports,
  health: ClusterHealth,
  id: string,
  log: Logger,
): Promise<void> {
  try {
    const failure = await imports.loadUnreached(id);
    if (failure !== undefined) health.feed(parseClusterId(id), { kind: "unreached", ...failure });
  } catch (reason) {
    log.warn("could not read why an imported cluster did not answer", { cluster: id }, reason);
  }
}
