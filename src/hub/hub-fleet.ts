// SPDX-License-Identifier: Apache-2.0
// Composes the fleet, its health, and the services over both.
import { FlotillaError } from "../base/error.ts";
import { createId } from "../base/id.ts";
import { runTogether } from "../base/run-together.ts";
import { connectionSentence } from "../health/health-state.ts";
import { createThresholds, type Thresholds } from "../health/thresholds.ts";
import type { AuthorizerMode } from "../index/access/judge-grants.ts";
import { parseClusterId } from "../model/cluster-id.ts";
import { idPrefixes } from "../model/names.ts";
import { isRbacResource } from "../model/rbac-resources.ts";
import type { CallAuthorizer } from "../rpc/auth/authorize-call.ts";
import type { RawRoute } from "../rpc/http/raw-route.ts";
import type { ServiceEntry } from "../rpc/server/connect-router.ts";
import { createSessionService } from "../rpc/session/session-service.ts";
import { createCountedGuard } from "../telemetry/task-failures.ts";
import { GrantsLag } from "./access/grants-lag.ts";
import { GrantsMonitor } from "./access/grants-monitor.ts";
import { createAccessChecks } from "./access-drift/create-access-checks.ts";
import { createApplicationService } from "./applications/application-service.ts";
import { Applications } from "./applications/applications.ts";
import { followApplications } from "./applications/follow-applications.ts";
import type { AuditLog } from "./audit/audit-log.ts";
import { createClusterStateService } from "./cluster-state/cluster-state-service.ts";
import { createFleet, type Fleet, type FleetOptions, soleHubId } from "./fleet/fleet.ts";
import { createFleetApiRoute } from "./fleet-api/fleet-api-route.ts";
import { createClusterService } from "./fleet-services/cluster-service.ts";
import { createClusterStateSource } from "./fleet-services/cluster-state-source.ts";
import { CredentialTerms } from "./fleet-services/credential-terms.ts";
import type { FleetParts } from "./fleet-services/fleet-parts.ts";
import { createJoinCall } from "./fleet-services/join-call.ts";
import { createJoinTokenService } from "./fleet-services/join-service.ts";
import { KindDetails } from "./fleet-services/kind-details.ts";
import { createRowService } from "./fleet-services/row-service.ts";
import { defaultTaskLeaseMs, type FleetTask, type HeldLease, runFleetTasks } from "./fleet-tasks.ts";
import { ClusterHealth } from "./health/cluster-health.ts";
import { followClusters } from "./health/follow-clusters.ts";
import { createHealthHandlers } from "./health/health-handlers.ts";
import { ObjectGauges } from "./health/object-gauges.ts";
import { Webhook, type WebhookOptions } from "./health/webhook.ts";
import { createHintService } from "./hints/hint-service.ts";
import { ObjectHints } from "./hints/object-hints.ts";
import { TransitionHistory } from "./history/transition-history.ts";
import { ClusterImports } from "./imports/cluster-imports.ts";
import { type ClusterProbe, createClusterProbe } from "./imports/probe-cluster.ts";
import { createJoining, type Joining, type JoiningPorts } from "./joining/joining.ts";
import { createPage } from "./page/page.ts";
import { PageRecords } from "./page/page-records.ts";
import { describeCoverage } from "./query/coverage.ts";
import { withoutAnswers, withoutListing, withoutMethods } from "./query/fleet-queries-off.ts";
import { createQueryService } from "./query/query-service.ts";
import { type Retention, runRetention } from "./retention.ts";
import {
  createHubSavedQueries,
  type OwnerTokens,
  type StandingQuerySettings,
} from "./saved-queries/hub-saved-queries.ts";
import { SessionFeed } from "./sessions/session-feed.ts";
import { TunnelBroker } from "./tunnels/tunnel-broker.ts";

/** The ports and settings of a fleet, its health and its services. */
export interface HubFleetOptions extends FleetOptions {
  /** The CA of the hub's self-made certificate in PEM; "" when the operator supplied a certificate. */
  readonly hubCa: () => string;
  readonly thresholds: Partial<Thresholds>;
  /** Receives incidents. Left out: no webhook. */
  readonly webhook?: Pick<WebhookOptions, "url" | "secret" | "send"> | undefined;
  /** `--allow-loopback-imports`; false by default. */
  readonly allowsLoopbackImports?: boolean;
  /** Version of the served page (PG26). Left out: the page's streams carry no version. */
  readonly pageVersion?: string;
  /** Identifies a cluster at its import. Left out: a connection of the hub's own, without proxies. */
  readonly probe?: ClusterProbe;
  /** Ports for joining by URL (IN10 to IN17). Left out: joining by URL is refused. */
  readonly joining?: JoiningPorts;
  /** `--authorizer-mode`; `rbacFirst` where left out. */
  readonly authorizerMode?: AuthorizerMode;
  /** `--access-samples`; 0 where left out. */
  readonly samplesPerMinute?: number;
  /** `--grants-bound`; 150 s where left out. */
  readonly grantsBoundMs?: number;
  /** `--fleet-queries`; true where left out. */
  readonly answersFleetQueries?: boolean;
  /** Left out: users cannot create standing queries. */
  readonly standingQueries?: StandingQuerySettings;
  /** How long such work is left undone when the hub that does it dies; the default where left out. */
  readonly taskLeaseMs?: number;
}

/** The parts that the fleet shares with the rest of the hub. */
export interface HubFleetContext {
  readonly audit: AuditLog;
  /** Decides synchronously what users may see. */
  readonly authorizer: CallAuthorizer;
  /** Credentials of the owners of standing queries. Left out: as without `standingQueries`. */
  readonly tokens?: OwnerTokens;
  /** Work besides the fleet's own that one hub does for all. */
  readonly fleetTasks?: readonly FleetTask[];
  /** Retention besides that of the histories. */
  readonly retentions?: readonly Retention[];
}

export interface HubFleet {
  readonly fleet: Fleet;
  readonly health: ClusterHealth;
  /** Clusters that the hub reaches itself. The process that runs the hub also runs their agents. */
  readonly imports: ClusterImports;
  readonly services: readonly ServiceEntry[];
  /** The read-only Kubernetes API over the fleet's rows. */
  readonly fleetApi: RawRoute;
  /** The route of join manifests, and the callback for TLS handshakes that clients aborted. */
  readonly joining: Pick<Joining, "route" | "noteHandshake">;
  /** Runs until the signal aborts, then drains its sessions. Rejects with the first permanent failure. */
  run(signal: AbortSignal): Promise<void>;
}

/** Creates the fleet over open stores. Nothing runs before `run`. */
export function createHubFleet(
  options: HubFleetOptions,
  { audit, authorizer, tokens, fleetTasks = [], retentions = [] }: HubFleetContext,
): HubFleet {
  const { store, clock, random, log, metrics, hubName, hubId = soleHubId, hubCa, pageVersion } = options;
  const { publicName, renderManifest } = options.joining ?? noJoining;
  const runId = createId(idPrefixes.run, random);
  const guard = createCountedGuard({ log, metrics });
  const sessionFeed = new SessionFeed(guard);
  const beforeShown = (cluster: string): void => grants.judge(cluster);
  const fleet = createFleet(options, { audit, authorizer, sessionFeed, guard, beforeShown });
  const { clusters, clusterRegistration, claims, sessions } = fleet;
  const thresholds = createThresholds(options.thresholds);
  const health = new ClusterHealth({ clock, metrics, thresholds, runId, guard });
  const history = new TransitionHistory({ store, clock, random, log, runId });
  const records = new PageRecords({ store, clock, random, log, runId, transitions: history, audit, clusters, health });
  const webhook = options.webhook && new Webhook({ ...options.webhook, clock, random, log, runId });
  health.addSink(history);
  health.addSink(records.sink);
  health.addSink({ proofWanted: (cluster, epoch) => sessions.askForDigests(cluster, epoch) });
  if (webhook !== undefined) health.addSink(webhook);
  const { authorizerMode = "rbacFirst", samplesPerMinute = 0 } = options;
  const access = createAccessChecks({
    store,
    clock,
    random,
    log,
    metrics,
    sessions,
    sampler: fleet.sampler,
    samplesPerMinute,
    isCurrent: (cluster) => areGrantsCurrent(health, cluster),
    onDrift: (cluster) => grants.judge(cluster),
  });
  const lag = new GrantsLag({ clusters, clock, log });
  const grants: GrantsMonitor = new GrantsMonitor({
    clock,
    evidence: access.evidence,
    mode: authorizerMode,
    ...(options.grantsBoundMs === undefined ? {} : { boundMs: options.grantsBoundMs }),
    health,
    clusters: () => clusters.list().map(({ id }) => id),
    isRbacComplete: (cluster) => fleet.grants.isRbacComplete(cluster),
    isConnected: (cluster) => sessions.has(cluster, ""),
    areGrantsCurrent: (cluster) => areGrantsCurrent(health, cluster),
    lag,
    setWithheld: (cluster, isWithheld) => fleet.grants.setWithheld(cluster, isWithheld),
  });
  const savedQueries = createHubSavedQueries({
    store,
    audit,
    authorizer,
    clock,
    random,
    log,
    metrics,
    clusters,
    queriesOf: (subject) => fleet.reader.queries(subject),
    isReadable: (cluster) => fleet.restore.has(cluster) && grants.of(cluster).kind !== "withheld",
    standing: options.standingQueries,
    tokens,
  });
  const applications = new Applications({ store, audit, clock });
  const hints = new ObjectHints({ sessions, clock, metrics });
  const details = new KindDetails();
  const credentials = new CredentialTerms();
  clusters.listen((id, record) => {
    if (record !== undefined) return;
    details.forget(id);
    credentials.forget(id);
    access.forget(id);
    hints.forget(id);
  });
  const parts: FleetParts = { fleet, health, details, credentials, clock };
  const whyAway = (cluster: string): string => disconnectReason(health, cluster);
  const tunnels = new TunnelBroker({ sessions, clock, random, metrics, whyAway });
  const joining = createJoining({ store, random, parts, publicName, renderManifest });
  const probe = options.probe ?? createClusterProbe({ clock, userAgent: "flotilla-hub", environment: {} });
  const allowsLoopback = options.allowsLoopbackImports ?? false;
  const imports = new ClusterImports({ store, audit, registry: clusters, probe, allowsLoopback, clock, random, log });
  const join = createJoinCall({ clusterRegistration, hubName, clock });
  const page = createPage({ parts, records, authorizer, clock, random, log, metrics, guard, runId, pageVersion });
  const gauges = new ObjectGauges({ reader: fleet.reader, clock, metrics, guard });
  const subscribers = [
    createHealthHandlers(health),
    details.handlers,
    credentials.handlers,
    records.agents.handlers,
    records.sessions.handlers,
    page.handlers,
    tunnels.handlers,
    hints.handlers,
    joining.handlers,
    ...access.handlers,
  ];
  for (const handlers of subscribers) sessionFeed.subscribe(handlers);
  const { answersFleetQueries = true } = options;
  const fleetApi = createFleetApiRoute({
    clock,
    random,
    reader: fleet.reader,
    authorizer,
    tunnels,
    coverageSentence: (_subject, ids, resource) => {
      const read = { clusters: ids, resources: new Set([resource]), isFull: false };
      const { isComplete, sentence } = describeCoverage({ fleet, health, clock, grants }, read);
      return isComplete ? "" : sentence;
    },
  });
  const queryService = createQueryService({ ...parts, grants, tunnels, authorizer });
  return {
    fleet,
    health,
    imports,
    joining,
    fleetApi: answersFleetQueries ? fleetApi : withoutAnswers(fleetApi),
    services: [
      createSessionService({
        accept: fleet.accept,
        acceptTunnel: tunnels.accept,
        join: (request, address) => joining.register(request.clusterId, address, () => join(request, address)),
      }),
      createClusterService(parts, imports, authorizer),
      createJoinTokenService({ clusterRegistration, hubName, hubCa }),
      joining.service,
      createRowService(parts),
      createHintService({ ...parts, authorizer, hints, whyAway }),
      answersFleetQueries ? queryService : withoutListing(queryService),
      answersFleetQueries ? savedQueries.service : withoutMethods(savedQueries.service),
      createApplicationService(applications),
      createClusterStateService(createClusterStateSource(parts)),
      page.service,
    ],
    async run(signal) {
      await access.load();
      const unlisten = await followClusters(health, { clusters, claims, imports, clock, log });
      health.start();
      const allRetentions = [history.retention, records.sessions.retention, ...retentions];
      const tasks: readonly FleetTask[] = [
        (held) => fleet.runCheckpoints(held.signal),
        (held) => runRetention(allRetentions, { clock, log }, held),
        ...(webhook === undefined ? [] : [(held: HeldLease) => webhook.run(held.signal)]),
        ...(answersFleetQueries ? savedQueries.tasks : []),
        ...fleetTasks,
      ];
      const { taskLeaseMs: leaseMs = defaultTaskLeaseMs } = options;
      try {
        await runTogether(
          [
            ...[fleet, history, page, gauges, grants, access].map((each) => (both: AbortSignal) => each.run(both)),
            (both) =>
              followApplications({ store, clock, random, log, set: (all) => fleet.grants.setApplications(all) }, both),
            (both) => runFleetTasks(tasks, { store, clock, log, hubId, runId, leaseMs }, both),
          ],
          signal,
        );
      } finally {
        health.stop();
        unlisten();
        await lag.settled();
        await page.close();
      }
    },
  };
}

/** Whether the RBAC rows of a cluster are followed: an older copy would differ from the cluster's own answers. */
function areGrantsCurrent(health: ClusterHealth, cluster: string): boolean {
  const id = parseClusterId(cluster);
  const kinds = health.kinds(id).filter(({ resource }) => isRbacResource(resource));
  return health.get(id)?.connection.state === "live" && kinds.length > 0 && kinds.every(({ isCurrent }) => isCurrent);
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
