// SPDX-License-Identifier: Apache-2.0
import { runAgent } from "../../../src/agent/agent.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { silentMetrics } from "../../../src/base/metrics.ts";
import type { KubeSource } from "../../../src/kube/kube-source.ts";
import { parseClusterId } from "../../../src/model/cluster-id.ts";
import { SimHost } from "../../support/sim/host.ts";
import type { SimNetwork } from "../../support/sim/network.ts";
import type { World } from "../../support/sim/world.ts";
import { type SimCluster, worldKinds } from "./cluster.ts";
import { hubName, hubService } from "./hub.ts";
import { hasher, plainCodec, signerOf } from "./keys.ts";
import { agentSettings } from "./timing.ts";

export interface SimAgentOptions {
  readonly world: World;
  readonly network: SimNetwork;
  readonly cluster: SimCluster;
  /** The name of its host. */
  readonly name: string;
  /** A deliberate fault of our own stands between the agent and its API server. */
  readonly wrapSource?: (source: KubeSource) => KubeSource;
}

/** The agent of a cluster on a host of its own. */
export class SimAgent {
  readonly name: string;
  readonly cluster: SimCluster;
  readonly host: SimHost;
  readonly #options: SimAgentOptions;
  #startCount = 0;

  constructor(options: SimAgentOptions) {
    this.#options = options;
    this.name = options.name;
    this.cluster = options.cluster;
    const { world, network, name } = options;
    this.host = new SimHost({ world, network, name, run: (signal) => this.#run(signal) });
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#startCount += 1;
    await runProcess({ ...this.#options, startCount: this.#startCount }, signal);
  }
}

/** An agent that starts once, with no host to crash it. */
export async function runCopy(options: SimAgentOptions, signal: AbortSignal): Promise<void> {
  await runProcess({ ...options, startCount: 1 }, signal);
}

async function runProcess(
  { world, network, cluster, name, wrapSource, startCount }: SimAgentOptions & { readonly startCount: number },
  signal: AbortSignal,
): Promise<void> {
  const random = world.random.fork(`${name} ${startCount}`);
  await runAgent(
    {
      ...agentSettings,
      identity: {
        clusterId: parseClusterId(cluster.id),
        shard: "",
        agentVersion: "1.0.0",
        metadata: { region: "", environment: "", version: "", labels: {} },
      },
      cluster: cluster.port(wrapSource),
      transport: network.transport({ from: name, ...hubService }),
      codec: plainCodec,
      hasher,
      clock: skewedClock(world.clock, random.int(86_400_000)),
      random,
      log: world.trace.logger(name),
      metrics: silentMetrics,
      kinds: worldKinds,
      derivedKinds: [],
      identify: async () => ({ hubName, signer: signerOf(cluster.id) }),
      onStatus: () => undefined,
    },
    signal,
  );
}

/** A machine's own idea of the time: neither its days nor its uptime are those of others (L20). */
function skewedClock(clock: Clock, byMs: number): Clock {
  return {
    nowMs: () => clock.nowMs() + byMs,
    wallMs: () => clock.wallMs() - 10 * byMs,
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}
