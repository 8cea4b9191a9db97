// SPDX-License-Identifier: Apache-2.0
import { untilAborted } from "../../base/abort.ts";
import { createId } from "../../base/id.ts";
import { soleHubId } from "../../hub/fleet/fleet.ts";
import { type FleetTask, runFleetTasks } from "../../hub/fleet-tasks.ts";
import { GitopsCollector } from "../../hub/gitops/gitops-collector.ts";
import { createLeafGauge } from "../../hub/gitops/leaf-statuses.ts";
import { connectCluster } from "../../kube/connect-cluster.ts";
import type { ClusterAccess } from "../../kube/credentials/cluster-access.ts";
import { kubeconfigAccess } from "../../kube/credentials/load-kubeconfig.ts";
import { idPrefixes } from "../../model/names.ts";
import type { ConfigOf } from "../config/option-table.ts";
import type { HubParts, HubProcess } from "./hub-parts.ts";

type GitopsConfig = Pick<ConfigOf<"hub">, "gitopsKubeconfig" | "gitopsContext">;

/** Returns a function that reads the credential for the management cluster; undefined if there is no such cluster. */
function managementAccess(
  { gitopsKubeconfig: file, gitopsContext: context }: GitopsConfig,
  { io }: Pick<HubProcess, "io">,
): (() => Promise<ClusterAccess>) | undefined {
  return file === undefined ? undefined : kubeconfigAccess({ file, environment: io.env }, context);
}

/** Rejects with CONFIG_INVALID if the kubeconfig of the management cluster cannot be used. */
export async function checkGitops(config: GitopsConfig, process: Pick<HubProcess, "io">): Promise<void> {
  await managementAccess(config, process)?.();
}

/**
 * Imports what the management cluster declares, if one is configured, until the signal aborts. Several hubs on one
 * store do it one at a time, under a lease of its own. Rejects with the signal's reason or a permanent failure.
 */
export async function runGitops(parts: HubParts, signal: AbortSignal): Promise<void> {
  const { config, process, clock, log, metrics, hub, stores } = parts;
  const { random, version, io } = process;
  const counts = createLeafGauge(metrics);
  const loadAccess = managementAccess(config, process);
  if (loadAccess === undefined) return await untilAborted(signal);
  const { fleet, imports } = hub.fleet;
  const collector = new GitopsCollector({
    imports,
    clusters: fleet.clusters,
    removeCluster: (id, by) => fleet.removeCluster(id, by),
    connect: async () =>
      connectCluster({
        access: await loadAccess(),
        clock,
        userAgent: `flotilla-hub/${version}`,
        environment: io.env,
      }),
    namespaces: config.gitopsNamespaces,
    intervalMs: config.gitopsIntervalMs,
    clock,
    random,
    log,
    counts,
  });
  const { store } = stores;
  const runId = createId(idPrefixes.run, random);
  const tasks: readonly FleetTask[] = [(held) => collector.run(held.signal)];
  await runFleetTasks(tasks, { store, clock, log, hubId: soleHubId, runId, leaseName: "gitops" }, signal);
}
