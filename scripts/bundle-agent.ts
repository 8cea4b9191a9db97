// SPDX-License-Identifier: Apache-2.0
// The agent as few files in place of some 600 modules: at 0 objects it takes 10 MiB less RSS (77 in place of 87: 5 less of its own, 5 less pages of
// Node's program), at 50,000 some 6 less of its own, and half the processor time to start. With the packages left outside it saves next to nothing.
import { join } from "node:path";
import { type Bundle, bundle } from "./bundle.ts";
import { root } from "./project.ts";

/** Where the bundle stands in the package, and the file to run. */
export const bundlePath = "agent/flotilla.js";

/** Writes the program with the verbs of an agent to the folder `agent` of a package. */
export function bundleAgent(packageDir: string): Promise<Bundle> {
  const main = join(root, "src/main");
  return bundle({
    entries: { flotilla: join(main, "flotilla.ts") },
    folder: join(packageDir, "agent"),
    plugins: [
      {
        name: "verbs-of-an-agent",
        resolveId: (id, importer) =>
          id === "./verbs.ts" && importer === join(main, "flotilla.ts")
            ? join(main, "agent/bundled-verbs.ts")
            : undefined,
      },
    ],
  });
}
