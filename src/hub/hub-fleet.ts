// SPDX-License-Identifier: Apache-2.0
// The hub's fleet with its health, and the services over both.
import { FlotillaError } from "../base/error.ts";
import { createId } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import { runTogether } from "../base/run-together.ts";
import type { TaskGuard } from "../base/task-guard.ts";
import { connectionSentence } from "../health/health-state.ts";
import { createThresholds, type Thresholds } from "../health/thresholds.ts";
import { parseClusterId } from "../model/cluster-id.ts";
import { idPrefixes } from "../model/names.ts";
import type { Authorizer } from "../rpc/authorize.ts";
import type { ServiceEntry } from "../rpc/connect-router.ts";
import { createSessionService } from "../rpc/session/session-service.ts";
import { createCountedGuard } from "../telemetry/task-failures.ts";
import { createClusterStateService } from "./cluster-state/cluster-state-service.ts";
import { type ClusterRecord, toPauseFacts } from "./fleet/cluster-record.ts";
import { createFleet, type Fleet, type FleetOptions, soleHubId } from "./fleet/fleet.ts";
import type { FleetObserver } from "./fleet/fleet-observer.ts";
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
import { TransitionHistory } from "./health/transition-history.ts";
import { Webhook, type WebhookOptions } from "./health/webhook.ts";
import { ImportDesk } from "./imports/import-desk.ts";
import { type ClusterProbe, createClusterProbe } from "./imports/probe-cluster.ts";
import { createJoining, type Joining, type JoiningPorts } from "./joining/joining.ts";
import { createPage } from "./page/page.ts";
import { PageRecords } from "./page/page-records.ts";
import { createQueryService } from "./tunnels/query-service.ts";
import { TunnelDesk } from "./tunnels/tunnel-desk.ts";

/** What a fleet needs, whose observer is made here, and what its health and services need besides. */
export interface HubFleetOptions extends Omit<FleetOptions, "observer" | "guard"> {
  /** The CA of the hub's own certificate in PEM; "" where it was given one. */
  readonly hubCa: () => string;
  readonly thresholds: Partial<Thresholds>;
  /** Who is told of incidents, if anybody. */
  readonly webhook?: Pick<WebhookOptions, "url" | "secret" | "send"> | undefined;
  /** `--allow-loopback-imports`; false where left out. */
  readonly allowsLoopbackImports?: boolean;
  /** Judges at once what viewers of the page may see; left out, they see nothing (L16). */
  readonly authorizer?: Authorizer;
  /** What the page that is served beside it is told by (PG26); left out, its streams say nothing of it. */
  readonly pageVersion?: string;
  /** How a cluster that is imported is asked who it is. Left out, over a connection of the hub's own, without proxies. */
  readonly probe?: ClusterProbe;
  /** How clusters join by URL (IN10 to IN17). Left out, none can. */
  readonly joining?: JoiningPorts;
  /** Work besides the fleet's own that one hub does for all. */
  readonly fleetTasks?: readonly FleetTask[];
  /** How long such work is left undone when the hub that does it dies; the default where left out. */
  readonly taskLeaseMs?: number;
}

export interface HubFleet {
  readonly fleet: Fleet;
  readonly health: ClusterHealth;
  /** Clusters that the hub reaches itself; whoever runs the hub runs their agents. */
  readonly imports: ImportDesk;
  readonly services: readonly ServiceEntry[];
  /** The route of join manifests, and who is to hear of TLS handshakes that clients broke off. */
  readonly joining: Pick<Joining, "route" | "noteHandshake">;
  /** Works until the signal aborts, then drains its sessions. Rejects with what cannot pass. */
  run(signal: AbortSignal): Promise<void>;
}

/** The fleet over open stores. */
export function createHubFleet(options: HubFleetOptions): HubFleet {
  const { clock, random, metrics, hubName, hubCa } = options;
  const runId = createId(idPrefixes.run, random);
  const guard = createCountedGuard(options);
  const history = new TransitionHistory({ ...options, runId });
  const records = new PageRecords({ ...options, runId, transitions: history });
  const webhook = options.webhook === undefined ? undefined : new Webhook({ ...options, ...options.webhook, runId });
  const health = new ClusterHealth({
    clock,
    metrics,
    thresholds: createThresholds(options.thresholds),
    sinks: [history, records.sink, proofAsker(() => fleet), ...(webhook === undefined ? [] : [webhook])],
    runId,
    guard,
  });
  const details = new KindDetails();
  const credentials = new CredentialTerms();
  const tunnels = new TunnelDesk({
    ...options,
    sessions: () => fleet.sessions,
    whyAway: (cluster) => whyAway(health, cluster),
  });
  const joining = createJoining({ ...options, ...(options.joining ?? noJoining), parts: () => parts });
  const observers = [
    observeFleet(health),
    details.observer,
    credentials.observer,
    records.observer,
    tunnels.observer,
    joining.observer,
  ];
  const fleet = createFleet({ ...options, guard, observer: joinObservers(observers, guard) });
  const imports = new ImportDesk({
    ...options,
    registry: fleet.clusters,
    probe: options.probe ?? createClusterProbe({ clock, userAgent: "flotilla-hub", environment: {} }),
    allowsLoopback: options.allowsLoopbackImports ?? false,
  });
  const join = createJoinCall({ joinDesk: fleet.joinDesk, hubName, clock });
  const authorizer = options.authorizer ?? nobodySees;
  const parts: FleetParts = { fleet, health, details, credentials, clock };
  const page = createPage({ ...options, parts, records, runId, guard, authorizer });
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
      createJoinTokenService({ joinDesk: fleet.joinDesk, hubName, hubCa }),
      joining.service,
      createRowService(parts),
      createQueryService(parts, tunnels),
      createClusterStateService(createClusterStateSource(parts)),
      page.service,
    ],
    async run(signal) {
      const unlisten = await followClusters(parts, (id) => tellUnreached(imports, health, id, options.log));
      health.start();
      const tasks: readonly FleetTask[] = [
        (held) => fleet.runCheckpoints(held.signal),
        (held) => history.runRetention(held),
        (held) => records.sessions.runRetention(held),
        ...(webhook === undefined ? [] : [(held: HeldLease) => webhook.run(held.signal)]),
        ...(options.fleetTasks ?? []),
      ];
      const { taskLeaseMs: leaseMs = defaultTaskLeaseMs, hubId = soleHubId } = options;
      try {
        const gauges = new ObjectGauges({ picture: fleet.picture, clock, metrics, guard });
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

/** What is known of an agent that is not connected, as a sentence. */
function whyAway(health: ClusterHealth, cluster: string): string {
  const view = health.get(parseClusterId(cluster));
  return view === undefined || view.connection.state === "live" ? "" : connectionSentence(view.connection);
}

const noJoining: JoiningPorts = {
  publicName: () => {
    throw new FlotillaError("CONFIG_INVALID", "this hub serves no join URLs");
  },
  renderManifest: () => "",
};

const nobodySees: Authorizer = { isAllowed: () => false };

/** Has a cluster judged as long as it is registered. Before a session comes, its age is that of the last one (L9). */
async function followClusters(
  { fleet, health, clock }: FleetParts,
  askUnreached: (id: string) => Promise<void>,
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
    if (record.clusterUid === "") void askUnreached(id);
  };
  return fleet.clusters.listen(follow);
}

/** Says of an imported cluster that has not answered yet what stood in the way. Never rejects. */
async function tellUnreached(imports: ImportDesk, health: ClusterHealth, id: string, log: Logger): Promise<void> {
  try {
    const unreached = await imports.loadUnreached(id);
    if (unreached !== undefined) health.feed(parseClusterId(id), { kind: "unreached", ...unreached });
  } catch (reason) {
    log.warn("it could not be read why an imported cluster did not answer", { cluster: id }, reason);
  }
}

/** Has the agent of a cluster that catches up asked for its digests, so that it is proven equal without waiting for the next scan. */
function proofAsker(fleet: () => Fleet): HealthSink {
  return { proofWanted: (cluster, epoch) => fleet().sessions.askForDigests(cluster, epoch) };
}

/** Tells several observers, in order. One that fails keeps neither the others nor the session from the fact. */
function joinObservers(observers: readonly Partial<FleetObserver>[], guard: TaskGuard): FleetObserver {
  const each =
    <Name extends keyof FleetObserver>(name: Name) =>
    (...facts: Parameters<FleetObserver[Name]>): void => {
      const [{ cluster }] = facts;
      for (const observer of observers) {
        // The compiler does not see that the parameters are those of this very method.
        const tell = observer[name] as ((...told: typeof facts) => void) | undefined;
        if (tell !== undefined) guard.run(`observer ${name}`, () => tell(...facts), { cluster });
      }
    };
  return {
    began: each("began"),
    ended: each("ended"),
    rejected: each("rejected"),
    heartbeat: each("heartbeat"),
    kindStatuses: each("kindStatuses"),
    compared: each("compared"),
    applied: each("applied"),
    received: each("received"),
    queued: each("queued"),
    tunnelsFailed: each("tunnelsFailed"),
  };
}
