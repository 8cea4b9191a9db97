// SPDX-License-Identifier: Apache-2.0
import { join } from "node:path";
import { runFileName } from "../cli/run-file.ts";
import { callHub } from "./call-hub.ts";
import { defineVerb } from "./verb.ts";

/** Shows versions; the hub's only where one is named or runs here, so that the verb works on a machine without any. */
export const versionVerb = defineVerb({
  name: "version",
  summary: "Shows the version of this program, and of the hub where there is one.",
  load: async () => {
    const { printVersion } = await import("../cli/version.ts");
    return async ({ config, runtime }) => {
      const { io, signal, version } = runtime;
      const isHubMeant =
        config.hub !== undefined || runtime.readFile(join(config.dataDir, runFileName)).kind === "text";
      if (isHubMeant) await callHub(config, runtime, (hub) => printVersion(hub, version));
      else await printVersion({ io, signal, output: config.output }, version);
    };
  },
});
