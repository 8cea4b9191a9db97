// SPDX-License-Identifier: Apache-2.0
// Composition of an agent process, run by `flotilla agent`.
import { type AgentOptions, type HubIdentity, runAgent } from "../../agent/agent.ts";
import { establishIdentity, type IdentityStatus } from "../../agent/identity/establish-identity.ts";
import { joinTokenFile } from "../../agent/identity/join-token.ts";
import type { ClusterSelf } from "../../agent/read-cluster.ts";
import type { UplinkStatus } from "../../agent/uplink/uplink-status.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Io } from "../../cli/output/io.ts";
import { chooseKinds } from "../../kinds/choose-kinds.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import { createAgentKey, parseAgentKey } from "../../rpc/auth/ed25519.ts";
import { createHubTransport } from "../../rpc/client/client.ts";
import { chooseHubProxy } from "../../rpc/client/hub-proxy.ts";
import { zstdCodec } from "../../rpc/client/zstd-codec.ts";
import { createSessionTransport, createTunnelTransport } from "../../rpc/session/session-transport.ts";
import { Health } from "../../telemetry/health.ts";
import { openAdminPort, type ProbeSources } from "../runtime/admin-port.ts";
import { openTelemetry } from "../runtime/open-telemetry.ts";
import { createJoinPort, findPlace, openIdentityStore, readTextIfThere } from "./agent-identity.ts";
import { agentIdAt } from "./agent-location.ts";
import { type AgentConfig, toAgentSettings } from "./agent-settings.ts";
import { openCluster, toClusterPort } from "./open-cluster.ts";

/** The hub's URL, and the CA to trust in place of the system's. */
export interface HubPlace {
  readonly url: string;
  readonly ca?: string;
}

export interface AgentProcess {
  readonly io: Io;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  readonly hub: HubPlace;
}

/**
 * Runs an agent until the signal aborts, then ends its session regularly. Rejects if its configuration cannot work, or
 * with a bug.
 */
export async function runAgentProcess(config: AgentConfig, process: AgentProcess, signal: AbortSignal): Promise<void> {
  const { io, clock, random, version, hub } = process;
  const { chosen, derived, others } = chooseKinds(config);
  const { log: processLog, metrics } = await openTelemetry(config, process);
  const log = processLog.with({ cluster: config.clusterId });
  const status = new AgentStatus(clock, log);
  const userAgent = `flotilla-agent/${version}`;
  await using cluster = await openCluster(config, { environment: io.env, userAgent, clock });
  await using _admin = await serveProbes(config, { health: status.health, metrics, log, clock, random });
  const settings = toAgentSettings(config);
  const proxy = chooseHubProxy(hub.url, io.env);
  const wire = {
    url: hub.url,
    ca: hub.ca,
    proxy,
    clock,
    connectTimeoutMs: config.connectTimeoutMs,
    maxMessageBytes: config.maxMessageSizeBytes,
  };
  using tunnelTransport = config.objectReads ? createTunnelTransport(wire) : undefined;
  const options: AgentOptions = {
    ...settings,
    identity: {
      clusterId: parseClusterId(config.clusterId),
      shard: "",
      agentId: agentIdAt(config.clusterId, await findPlace(config, io.env)),
      agentVersion: version,
      metadata: metadataOf(config),
    },
    cluster: toClusterPort(cluster),
    transport: createSessionTransport(wire),
    tunnelTransport,
    access: { allowsReviews: config.accessReviews },
    codec: zstdCodec,
    hasher: await createHasher(),
    clock,
    random,
    log,
    metrics,
    kinds: chosen,
    derivedKinds: derived,
    otherKinds: others,
    identify: (self, within) => identify({ config, process, cluster, log, status, settings }, self, within),
    onStatus: (uplink) => status.setUplink(uplink),
  };
  await runAgent(options, signal);
}

interface ProbeParts extends ProbeSources {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens the agent's port for probes and metrics, if one is configured. */
async function serveProbes(
  { adminPort, adminAddress }: AgentConfig,
  { health, metrics, log, clock, random }: ProbeParts,
): Promise<AsyncDisposable> {
  if (adminPort === undefined) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const endpoint = await openAdminPort({
    address: { host: adminAddress, port: adminPort, portOption: "--admin-port", name: "admin" },
    because: "the agent's admin port serves only probes and metrics, to its own Pod's network",
    hostNames: [],
    health,
    metrics,
    log,
    clock,
    random,
  });
  log.info("serving probes and metrics", { url: endpoint.plain?.url });
  return {
    async [Symbol.asyncDispose]() {
      health.drain();
      await endpoint.drain(0);
    },
  };
}

interface IdentifyParts {
  readonly config: AgentConfig;
  readonly process: AgentProcess;
  readonly cluster: KubeSource;
  readonly log: Logger;
  readonly status: AgentStatus;
  readonly settings: ReturnType<typeof toAgentSettings>;
}

async function identify(parts: IdentifyParts, self: ClusterSelf, signal: AbortSignal): Promise<HubIdentity> {
  const { config, process, cluster, log, status, settings } = parts;
  const { clock, random, hub, io } = process;
  const { requestTimeoutMs, joinTokenFile: tokenFile } = config;
  const proxy = chooseHubProxy(hub.url, io.env);
  const { url, ca } = hub;
  const transport = createHubTransport({ url, ca, proxy, clock, random, unaryTimeoutMs: requestTimeoutMs });
  try {
    const { hubName, key } = await establishIdentity(
      {
        clusterId: parseClusterId(config.clusterId),
        clusterUid: self.uid,
        metadata: { ...metadataOf(config), kubernetesVersion: self.kubernetesVersion },
        store: openIdentityStore(await findPlace(config, io.env), cluster, requestTimeoutMs),
        keys: { create: createAgentKey, parse: parseAgentKey },
        token: tokenFile === undefined ? noToken : joinTokenFile(tokenFile, readTextIfThere),
        join: createJoinPort(transport),
        rotate: true,
        clock,
        random,
        log,
        backoff: settings.reconnect,
        onStatus: (identity) => status.setIdentity(identity),
      },
      signal,
    );
    return { hubName, signer: key };
  } finally {
    transport.close();
  }
}

const noToken = { where: "--join-token-file, which is not given", load: () => Promise.resolve(undefined) };

function metadataOf(config: AgentConfig): AgentOptions["identity"]["metadata"] {
  const labels = config.labels.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const { region, environment, clusterVersion: version } = config;
  return { region, environment, version, labels: Object.fromEntries(labels) };
}

/** The agent's readiness: ready while its session with the hub is live; otherwise the reason (N-36). */
class AgentStatus {
  readonly health: Health;
  #identity: IdentityStatus | undefined;
  #uplink: UplinkStatus | undefined;

  constructor(clock: Clock, log: Logger) {
    this.health = new Health({ clock, log });
    this.health.setCheck("hub", () => this.#check());
  }

  setIdentity(status: IdentityStatus): void {
    this.#identity = status;
  }

  setUplink(status: UplinkStatus): void {
    this.#uplink = status;
  }

  #check(): Promise<void> {
    if (this.#uplink?.state === "live") return Promise.resolve();
    return Promise.reject(new FlotillaError("UNAVAILABLE", this.#reason()));
  }

  #reason(): string {
    const identity = this.#identity;
    if (identity !== undefined && identity.kind !== "established") return identity.reason;
    if (this.#uplink === undefined) return "the agent has not reached its cluster yet";
    const { state, reason, detail } = this.#uplink;
    return reason === "" ? `the session is ${state}` : `${reason}: ${detail}`;
  }
}
