// SPDX-License-Identifier: Apache-2.0
import { join } from "node:path";
import { kubeconfigText } from "../../playground/kubeconfig.ts";
import { Playground } from "../../playground/playground.ts";
import { createPlaygroundService } from "../../playground/playground-service.ts";
import type { OpenFleet } from "../hub/serve-hub.ts";

/** Opens `clusterCount` playground clusters in the hub's data directory. */
export function openPlaygroundFleet(clusterCount: number): OpenFleet {
  return async ({ paths, random, log, onProgress, signal }) => {
    const onStarted = (startedCount: number): void => onProgress(`${startedCount} of ${clusterCount} clusters ready`);
    const folder = join(paths.folder, "playground");
    onStarted(0);
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
        isAdopted: false,
      })),
      close: () => playground.close(),
    };
  };
}
