// SPDX-License-Identifier: Apache-2.0
// The whole agent: collects the cluster, holds its rows, keeps the session with the hub. Sockets, files and ports are
// opened by main.
import { isCancellation } from "../base/abort.ts";
import type { Logger } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import { runTogether } from "../base/run-together.ts";
import type { BackoffOptions } from "../base/time/backoff.ts";
import type { Clock } from "../base/time/clock.ts";
import type { ApiServerSettings } from "../health/api-server-health.ts";
import type { OtherKinds } from "../kinds/choose-kinds.ts";
import type { DerivedKind, Kind } from "../kinds/kind.ts";
import type { KubeSource } from "../kube/kube-source.ts";
import type { ReflectorSettings } from "../kube/reflector/reflector-options.ts";
import type { NamespaceFilter } from "../kube/reflector/scope/namespace-filter.ts";
import { ServerRecovery } from "../kube/server-recovery.ts";
import type { ClusterId } from "../model/cluster-id.ts";
import type { Codec } from "../model/rows/codec.ts";
import type { Hasher } from "../model/rows/hasher.ts";
import { RowTable } from "../session/agent/row-table.ts";
import type { SessionOptions } from "../session/agent/session-event.ts";
import type { Signer } from "../session/proof.ts";
import type { SessionTransport } from "../session/transport.ts";
import { AccessReviewer } from "./access-samples/access-reviewer.ts";
import { ApiServerMonitor } from "./api-server-monitor.ts";
import { Collector } from "./collector/collector.ts";
import { HintReader } from "./hints/hint-reader.ts";
import { pagePacker } from "./page-packer.ts";
import { type ClusterSelf, readCluster } from "./read-cluster.ts";
import { readObject } from "./tunnel/read-object.ts";
import { allowRead, type ReadPolicy } from "./tunnel/read-policy.ts";
import { Tunnels } from "./tunnel/tunnels.ts";
import { runUplink } from "./uplink/run-uplink.ts";
import type { AgentIdentity, CredentialTerm, KindStatusReport } from "./uplink/uplink-options.ts";
import type { UplinkStatus } from "./uplink/uplink-status.ts";

/** How an agent reaches its cluster. */
export interface ClusterPort {
  readonly source: KubeSource;
  /** Reads the credentials again and continues with a new client. */
  reload(): Promise<void>;
  /** Calls back when an open connection breaks. Returns the unsubscribe function. */
  onBroken(listener: () => void): () => void;
  /** When the credential in use expires; undefined where that is not known. */
  credentialTerm?(): CredentialTerm | undefined;
}

/** The identity that the agent proves to its hub. */
export interface HubIdentity {
  /** The only hub name whose challenge is answered (SE6). */
  readonly hubName: string;
  readonly signer: Signer;
}

/** Dependencies of an agent. Clock, randomness and I/O are injected, so that an agent also runs in simulation. */
export interface AgentOptions {
  readonly identity: Omit<AgentIdentity, "clusterUid" | "metadata" | "includedNamespaces" | "excludedNamespaces"> & {
    readonly clusterId: ClusterId;
    readonly metadata: Omit<AgentIdentity["metadata"], "kubernetesVersion">;
  };
  readonly cluster: ClusterPort;
  readonly transport: SessionTransport;
  /** Dials the hub for tunnels; omitted if the agent serves none (TU3). */
  readonly tunnelTransport?: SessionTransport | undefined;
  /** Omitted if the agent reports nothing of how its cluster authorizes requests, as older agents. */
  readonly access?: {
    /** `--access-reviews` (SE64). */
    readonly allowsReviews: boolean;
  };
  readonly codec: Codec;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Kinds with a file of their own. */
  readonly kinds: readonly Kind[];
  readonly derivedKinds: readonly DerivedKind[];
  readonly otherKinds: OtherKinds;
  readonly filter: NamespaceFilter;
  readonly reflector: ReflectorSettings;
  readonly discoveryIntervalMs: number;
  readonly apiServer: ApiServerSettings;
  readonly session: Omit<SessionOptions, "hubName">;
  readonly reconnect: BackoffOptions;
  readonly dialTimeoutMs: number;
  /**
   * Obtains the key that identifies this cluster; joins the hub if there is none yet. Rejects if that is impossible.
   */
  readonly identify: (cluster: ClusterSelf, signal: AbortSignal) => Promise<HubIdentity>;
  /** Called at each change, for the health endpoint. */
  readonly onStatus: (status: UplinkStatus) => void;
}

/**
 * Runs an agent until the signal aborts, then sends Goodbye to the hub and resolves. Collection starts at once, so rows
 * are ready when the hub becomes reachable. The agent dials once it has the cluster's UID and its own identity. Rejects
 * with the rejection of `identify`, and with bugs.
 */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const { cluster, clock, random, log, reflector } = options;
  const rows = new RowTable({ clusterId: options.identity.clusterId, hasher: options.hasher, packer: pagePacker });
  const verdictListeners = new Set<() => void>();
  const returns = new ServerRecovery();
  const monitor = new ApiServerMonitor({
    source: cluster.source,
    reload: () => cluster.reload(),
    settings: options.apiServer,
    clock,
    random,
    log,
    onVerdict: () => verdictListeners.forEach((listener) => listener()),
    onReturn: () => returns.announce(),
  });
  const collector = new Collector({
    source: cluster.source,
    rows,
    kinds: options.kinds,
    derivedKinds: options.derivedKinds,
    otherKinds: options.otherKinds,
    filter: options.filter,
    settings: reflector,
    discoveryIntervalMs: options.discoveryIntervalMs,
    clock,
    random,
    log,
    onDoubt: () => monitor.noteDoubt(),
    onAnswer: () => monitor.noteAnswer(),
    returns,
  });
  await using reviewer =
    options.access && new AccessReviewer({ ...options.access, source: cluster.source, clock, random, log });
  const unlisten = cluster.onBroken(() => monitor.noteDoubt());
  try {
    await runTogether(
      [
        (both) => monitor.run(both),
        (both) => collector.run(both),
        ...(reviewer === undefined ? [] : [(both: AbortSignal) => reviewer.run(both)]),
        (both) => dialHub(options, { rows, collector, monitor, reviewer, verdictListeners }, both),
      ],
      signal,
    );
  } catch (reason) {
    if (!isCancellation(signal, reason)) throw reason;
  } finally {
    unlisten();
  }
}

interface Parts {
  readonly rows: RowTable;
  readonly collector: Collector;
  readonly monitor: ApiServerMonitor;
  readonly reviewer: AccessReviewer | undefined;
  readonly verdictListeners: Set<() => void>;
}

async function dialHub(
  options: AgentOptions,
  { rows, collector, monitor, reviewer, verdictListeners }: Parts,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, clock, random, log, reflector, filter, identity } = options;
  const self = await readCluster(
    {
      source: cluster.source,
      requestTimeoutMs: reflector.requestTimeoutMs,
      clock,
      random,
      log,
      backoff: reflector.backoff,
    },
    signal,
  );
  const { hubName, signer } = await options.identify(self, signal);
  await using tunnels = openTunnels(options, collector);
  await using hints = openHints(options, collector);
  await runUplink(
    {
      clock,
      random,
      transport: options.transport,
      codec: options.codec,
      hasher: options.hasher,
      signer,
      log,
      metrics: options.metrics,
      reconnect: options.reconnect,
      dialTimeoutMs: options.dialTimeoutMs,
      onStatus: (status) => {
        if (status.state === "live") reviewer?.refresh();
        options.onStatus(status);
      },
      access: reviewer,
      openTunnel: tunnels && ((offer, reportFailure) => tunnels.open(offer, reportFailure)),
      takeHint: (hint, reply) => hints.take(hint, reply),
      session: { ...options.session, hubName },
      identity: {
        ...identity,
        clusterUid: self.uid,
        metadata: { ...identity.metadata, kubernetesVersion: self.kubernetesVersion },
        includedNamespaces: filter.include ?? [],
        excludedNamespaces: filter.exclude ?? [],
      },
      rows,
      kindReports: collector.reports,
      relist: () => collector.relist(),
      noteHeld: (resources) => collector.noteHeld(resources),
      apiServer: () => monitor.report(),
      onApiServerVerdict: (listener) => {
        verdictListeners.add(listener);
        return () => verdictListeners.delete(listener);
      },
      credentialTerm: () => cluster.credentialTerm?.(),
      probeApiServer: () => monitor.requestProbe(),
      onConfig: () => undefined,
    },
    signal,
  );
}

/** Serves the hub's reads of single objects (TU7); undefined without a tunnel transport. */
function openTunnels(options: AgentOptions, collector: Collector): Tunnels | undefined {
  const { tunnelTransport, cluster, filter, reflector } = options;
  if (tunnelTransport === undefined) return undefined;
  const policyNow = createPolicy(filter, collector);
  const reading = { source: cluster.source, requestTimeoutMs: reflector.requestTimeoutMs };
  return new Tunnels({
    transport: tunnelTransport,
    clock: options.clock,
    log: options.log,
    metrics: options.metrics,
    read: (read, signal) => readObject(reading, allowRead(read, policyNow()), signal),
  });
}

/** Follows the hub's hints (SE65). */
function openHints(
  { cluster, filter, reflector, clock, log, metrics }: AgentOptions,
  collector: Collector,
): HintReader {
  return new HintReader({
    source: cluster.source,
    clock,
    log,
    metrics,
    maxObjectBytes: reflector.maxObjectBytes,
    policy: createPolicy(filter, collector),
    beginEarlyRead: (resource, key) => collector.beginEarlyRead(resource, key),
  });
}

/** What the agent collects, as of each call: discovery adds kinds. */
function createPolicy(filter: NamespaceFilter, collector: Collector): () => ReadPolicy {
  const reportOf = (resource: string): KindStatusReport | undefined => collector.reports.get(resource);
  return () => ({ kinds: collector.kinds, filter, reportOf });
}
