// SPDX-License-Identifier: Apache-2.0
import { defineVerb, type Verb } from "./verb.ts";

/** Verbs of the agent. */
export const agentVerbs: readonly Verb[] = [
  defineVerb({
    name: "agent",
    summary: "Runs the agent of one cluster: sends the cluster's state to the hub.",
    load: async () => {
      const { runAgentProcess } = await import("../agent/run-agent-process.ts");
      const { findHubPlace } = await import("../../cli/hub/find-hub.ts");
      const { systemClock } = await import("../../base/time/system-clock.ts");
      const { systemRandom } = await import("../../base/system-random.ts");
      return ({ config, runtime: { io, signal, version, readFile } }) => {
        const hub = findHubPlace(config, readFile);
        const agent = { io, clock: systemClock, random: systemRandom, version: version.version, hub };
        return runAgentProcess(config, agent, AbortSignal.any([signal, untilOrphaned()]));
      };
    },
  }),
  defineVerb({
    name: "agent manifest",
    summary: "Prints a manifest that installs an agent in a cluster, for kubectl apply -f -.",
    load: async () => {
      const { printAgentManifest } = await import("../../cli/print-agent-manifest.ts");
      const { createAgentManifest, renderAgentManifest } = await import("../../agent/manifest/agent-manifest.ts");
      const { findHubPlace } = await import("../../cli/hub/find-hub.ts");
      const { defaultImageName } = await import("../../model/image-name.ts");
      const { loadContexts } = await import("./context-store.ts");
      return ({ config, runtime: { io, version, readFile } }) => {
        const { hub, caFile, dataDir } = config;
        const { url, ca } = findHubPlace({ hub, caFile, dataDir, contexts: loadContexts({ io, readFile }) }, readFile);
        const image = config.image ?? config.agentImage ?? defaultImageName(version.version);
        printAgentManifest(
          io,
          {
            hub: url,
            ca,
            image,
            clusterId: config.clusterId,
            region: config.region,
            environment: config.environment,
            namespaces: config.namespaces,
            excludeNamespaces: config.excludeNamespaces,
            kinds: config.kinds,
            objectReads: config.objectReads,
            constrainedImpersonation: config.constrainedImpersonation,
            accessReviews: config.accessReviews,
            viewerGroups: config.viewerGroups,
            agentImagePullSecrets: config.agentImagePullSecrets,
            joinSecret: config.joinSecret,
          },
          (wanted) => renderAgentManifest(createAgentManifest({ ...wanted, version: version.version })),
        );
        return Promise.resolve();
      };
    },
  }),
];

/** Aborts when the parent process has ended, if the parent opened an IPC channel. Otherwise it never aborts. */
function untilOrphaned(): AbortSignal {
  const orphaned = new AbortController();
  process.once("disconnect", () => orphaned.abort(new Error("the parent process of this agent has ended")));
  process.channel?.unref();
  return orphaned.signal;
}
