// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { AgentCluster } from "../hub/fleet-agents.ts";
import type { OpenFleet } from "../hub/serve-hub.ts";
import { emptyKubeconfig } from "../verbs/run-record.ts";
import { openPlaygroundFleet } from "./playground-fleet.ts";

/** The clusters of `flotilla up`. */
export interface UpFleet {
  readonly playgroundCount: number;
  readonly adopted: readonly AgentCluster[];
  /** Kinds that all its agents collect; empty: their default. */
  readonly kinds: readonly string[];
}

/**
 * Opens the playground clusters, and agents for the adopted clusters. Throws CONFIG_INVALID if two have the same name.
 */
export function openUpFleet({ playgroundCount, adopted, kinds }: UpFleet): OpenFleet {
  return async (deps) => {
    const fleet = await openClusters(playgroundCount, adopted)(deps);
    return { ...fleet, agents: fleet.agents.map((agent) => ({ ...agent, kinds })) };
  };
}

function openClusters(playgroundCount: number, adopted: readonly AgentCluster[]): OpenFleet {
  return async (deps) => {
    if (adopted.length > 0) deps.log.info("adopting clusters", { clusters: adopted.map(({ id }) => id).join(",") });
    if (playgroundCount === 0) {
      return {
        services: [],
        kubeconfig: emptyKubeconfig,
        clusters: [],
        agents: adopted,
        close: () => Promise.resolve(),
      };
    }
    const playground = await openPlaygroundFleet(playgroundCount)(deps);
    const duplicate = adopted.find(({ id }) => playground.clusters.some((cluster) => cluster.id === id));
    if (duplicate === undefined) return { ...playground, agents: [...playground.agents, ...adopted] };
    await playground.close();
    throw new FlotillaError(
      "CONFIG_INVALID",
      `context ${duplicate.id} has the name of a playground cluster; rename it, or start without playground clusters with --clusters 0`,
    );
  };
}
