// SPDX-License-Identifier: Apache-2.0
// The whole program as few files: a verb that calls a hub loads some twenty in place of 400, and starts in a third of the time (bench/cli.ts).
import { join } from "node:path";
import { type Bundle, bundle } from "./bundle.ts";
import { root } from "./project.ts";

/** Where the bundle stands in the package, and the file to run. */
export const programPath = "program/flotilla.js";

/** Entries besides the program itself: each thread of a hub begins in one, which `workerModule` finds beside the code that starts it. */
const workers = {
  "hub-store-worker": "src/store/sqlite/hub-store-worker.ts",
  "fleet-log-worker": "src/store/sqlite/fleet-log-worker.ts",
  "playground-worker": "src/playground/playground-worker.ts",
};

/** Writes the program with every verb to the folder of a package. Needs nothing of node_modules when it runs. */
export function bundleProgram(packageDir: string): Promise<Bundle> {
  const files = { flotilla: "src/main/flotilla.ts", ...workers };
  const entries = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(root, file)]));
  return bundle({ entries, folder: join(packageDir, "program") });
}
