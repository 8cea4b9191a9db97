// SPDX-License-Identifier: Apache-2.0
// The clusters that a hub process runs or adopts itself, as `flotilla up` does. `flotilla hub` has none.
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { RunFile } from "../../cli/run-file.ts";
import type { ServiceEntry } from "../../rpc/server/connect-router.ts";
import type { DataPaths } from "../../store/data-directory.ts";
import type { AgentCluster } from "./fleet-agents.ts";

/** The process's own clusters while they run. */
export interface OwnFleet {
  readonly services: readonly ServiceEntry[];
  readonly kubeconfig: string;
  readonly clusters: RunFile["clusters"];
  /** The clusters whose agents this process runs. */
  readonly agents: readonly AgentCluster[];
  close(): Promise<void>;
}

export interface OwnFleetDeps {
  readonly paths: DataPaths;
  readonly random: Random;
  readonly log: Logger;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The process's own clusters before they are opened. */
export interface OwnFleetPlan {
  /** Real clusters of the user's kubeconfig. */
  readonly adopted: readonly AgentCluster[];
  /** Opens the clusters. After the signal aborts it may open only some; the caller closes them. */
  open(deps: OwnFleetDeps): Promise<OwnFleet>;
}

/** No clusters: an empty kubeconfig and no agents. */
export const emptyFleet: OwnFleet = {
  services: [],
  kubeconfig: "apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers: []\n",
  clusters: [],
  agents: [],
  close: () => Promise.resolve(),
};

/** The plan of a process without clusters of its own. */
export const noFleet: OwnFleetPlan = { adopted: [], open: () => Promise.resolve(emptyFleet) };
