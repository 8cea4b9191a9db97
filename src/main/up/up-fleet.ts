// SPDX-License-Identifier: Apache-2.0
import { join } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import { kubeconfigText } from "../../playground/kubeconfig.ts";
import { Playground } from "../../playground/playground.ts";
import { createPlaygroundService } from "../../playground/playground-service.ts";
import type { AgentCluster } from "../hub/fleet-agents.ts";
import { emptyFleet, type OwnFleet, type OwnFleetDeps, type OwnFleetPlan } from "../hub/own-fleet.ts";

/** The clusters of `flotilla up`. */
export interface UpFleet {
  readonly playgroundCount: number;
  readonly adopted: readonly AgentCluster[];
  /** Kinds that all its agents collect; empty: their default. */
  readonly kinds: readonly string[];
}

/**
 * Playground clusters, and agents for the adopted clusters. Opening it throws CONFIG_INVALID if two have the same name.
 */
export function planUpFleet({ playgroundCount, adopted, kinds }: UpFleet): OwnFleetPlan {
  return {
    adopted,
    async open(deps) {
      if (adopted.length > 0) deps.log.info("adopting clusters", { clusters: adopted.map(({ id }) => id).join(",") });
      const playground = playgroundCount === 0 ? emptyFleet : await openPlayground(playgroundCount, deps);
      const duplicate = adopted.find(({ id }) => playground.clusters.some((cluster) => cluster.id === id));
      if (duplicate !== undefined) {
        await playground.close();
        throw new FlotillaError(
          "CONFIG_INVALID",
          `context ${duplicate.id} has the name of a playground cluster; rename it, or start without playground clusters with --clusters 0`,
        );
      }
      return { ...playground, agents: [...playground.agents, ...adopted].map((agent) => ({ ...agent, kinds })) };
    },
  };
}

/** Opens `clusterCount` playground clusters in the hub's data directory. */
async function openPlayground(clusterCount: number, deps: OwnFleetDeps): Promise<OwnFleet> {
  const { paths, random, log, onProgress, signal } = deps;
  const onStarted = (startedCount: number): void => onProgress(`${startedCount} of ${clusterCount} clusters ready`);
  onStarted(0);
  const folder = join(paths.folder, "playground");
  const playground = await Playground.open({ folder, clusterCount, random, onStarted, signal });
  const states = playground.list();
  log.info("playground clusters are running", { clusterCount: states.length });
  return {
    services: [createPlaygroundService(playground)],
    kubeconfig: kubeconfigText(states),
    clusters: states.map(({ name, region }) => ({ id: name, region, context: name })),
    agents: states.map(({ name, region }) => ({
      id: name,
      region,
      environment: "playground",
      kubeconfig: paths.kubeconfig,
      context: name,
    })),
    close: () => playground.close(),
  };
}
