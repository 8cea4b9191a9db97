// SPDX-License-Identifier: Apache-2.0
import { runAgent } from "../../../src/agent/agent.ts";
import { onAbort } from "../../../src/base/abort.ts";
import { silentMetrics } from "../../../src/base/testing/silent-metrics.ts";
import { chooseKinds } from "../../../src/kinds/choose-kinds.ts";
import type { KubeSource } from "../../../src/kube/kube-source.ts";
import { parseClusterId } from "../../../src/model/cluster-id.ts";
import type { SessionTransport } from "../../../src/session/transport.ts";
import { SimHost } from "../../support/sim/host.ts";
import type { SimNetwork } from "../../support/sim/network.ts";
import type { Route } from "../../support/sim/sim-stream.ts";
import type { World } from "../../support/sim/world.ts";
import { namedKinds, type SimCluster } from "./cluster.ts";
import { pick } from "./fault.ts";
import { hubName, sessionService, tunnelService } from "./hub.ts";
import { hasher, plainCodec, signerOf } from "./keys.ts";
import { createSkewedClock } from "./skewed-clock.ts";
import { Steps, stepSource, stepTransport } from "./steps.ts";
import { agentSettings } from "./timing.ts";

const { others: otherKinds } = chooseKinds({ kinds: ["example.com/*"], excludeKinds: [] });

export interface SimAgentOptions {
  readonly world: World;
  readonly network: SimNetwork;
  readonly cluster: SimCluster;
  /** The name of its host. */
  readonly name: string;
  /** The hubs it reaches, drawn anew for each dial; the only one where left out. */
  readonly hubHosts?: readonly string[];
  /** A deliberate fault of our own stands between the agent and its API server. */
  readonly wrapSource?: (source: KubeSource) => KubeSource;
}

/** The agent of a cluster on a host of its own. */
export class SimAgent {
  readonly name: string;
  readonly cluster: SimCluster;
  readonly host: SimHost;
  /** Of the process that runs. */
  readonly steps = new Steps();
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
    const { steps, name: agentId } = this;
    await runProcess({ ...this.#options, startCount: this.#startCount, steps, agentId }, signal);
  }
}

/** An agent that starts once, with no host to crash it. */
export async function runCopy(options: SimAgentOptions, signal: AbortSignal): Promise<void> {
  await runProcess({ ...options, startCount: 1, steps: new Steps() }, signal);
}

interface ProcessOptions extends SimAgentOptions {
  readonly startCount: number;
  readonly steps: Steps;
  /** The place where it runs; left out for a copy, which is at none that is known. */
  readonly agentId?: string;
}

async function runProcess(options: ProcessOptions, signal: AbortSignal): Promise<void> {
  const { world, network, cluster, name, wrapSource, startCount, steps, agentId } = options;
  const random = world.random.fork(`${name} ${startCount}`);
  const hosts = random.fork("hosts");
  // A process that is killed or told to end does not stay frozen.
  onAbort(signal, () => steps.thaw("reads", world.clock));
  const route = (service: string): Route => ({ from: name, to: pick(hosts, options.hubHosts ?? ["hub"]), service });
  const transportTo = (service: string): SessionTransport =>
    stepTransport({ dial: (dialling) => network.dial(route(service), dialling) }, steps);
  await runAgent(
    {
      ...agentSettings,
      identity: {
        clusterId: parseClusterId(cluster.id),
        shard: "",
        ...(agentId === undefined ? {} : { agentId }),
        agentVersion: "1.0.0",
        metadata: { region: "", environment: "", version: "", labels: {} },
      },
      cluster: cluster.port((source) => stepSource(wrapSource?.(source) ?? source, steps)),
      transport: transportTo(sessionService),
      tunnelTransport: transportTo(tunnelService),
      codec: plainCodec,
      hasher,
      clock: steps.clock(createSkewedClock(world, name, random.fork("clock"))),
      random,
      log: world.trace.logger(name),
      metrics: silentMetrics,
      kinds: namedKinds,
      derivedKinds: [],
      otherKinds,
      identify: async () => ({ hubName, signer: signerOf(cluster.id) }),
      onStatus: () => undefined,
    },
    signal,
  );
}
