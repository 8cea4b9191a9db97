// SPDX-License-Identifier: Apache-2.0
import { isHubRunning } from "../../cli/hub/find-hub.ts";
import { type CallConfig, callHub } from "./call-hub.ts";
import { loadContexts } from "./context-store.ts";
import { defineVerb, type Runtime } from "./verb.ts";

/**
 * Shows versions. The program's own version is always printed (CL15). The hub's version is requested if a hub is named,
 * runs here or is logged in to. If that fails the reason is printed; the verb fails only if the hub was named with
 * --hub.
 */
export const versionVerb = defineVerb({
  name: "version",
  summary: "Shows the version of this program, and of the hub where there is one.",
  load: async () => {
    const { loadHubVersion, printVersion } = await import("../../cli/output/version.ts");
    const { reportFailure } = await import("../../cli/output/failure.ts");
    return async ({ config, runtime }) => {
      const { io, signal, version } = runtime;
      const call = { io, output: config.output };
      let failure: unknown;
      let hub: Awaited<ReturnType<typeof loadHubVersion>> | undefined;
      try {
        if (isHubExpected(config, runtime))
          await callHub(config, runtime, async (found) => {
            hub = await loadHubVersion(found);
          });
      } catch (reason) {
        if (signal.aborted) throw reason;
        failure = reason;
      }
      await printVersion(call, version, hub);
      if (failure === undefined) return;
      if (config.hub !== undefined) throw failure;
      reportFailure(io, failure);
    };
  },
});

function isHubExpected(config: CallConfig, runtime: Runtime): boolean {
  return (
    config.hub !== undefined || isHubRunning(config, runtime.readFile) || loadContexts(runtime).current !== undefined
  );
}
