// SPDX-License-Identifier: Apache-2.0
// Bundles the whole program into few files: a verb that calls a hub loads about 20 files instead of 400, and starts in
// a third of the time (bench/cli.ts).
import { join } from "node:path";
import { type Bundle, bundle } from "./bundle.ts";
import { root } from "./project.ts";

/** Path of the bundle's entry file in the package. */
export const programPath = "program/flotilla.js";

/** Entries besides the program: the threads of a hub. `workerModule` finds each beside the code that starts it. */
const workers = {
  "hub-store-worker": "src/store/sqlite/hub-store-worker.ts",
  "fleet-log-worker": "src/store/fleet-log/fleet-log-worker.ts",
  "index-worker": "src/main/hub/index-worker.ts",
  "playground-worker": "src/playground/playground-worker.ts",
};

/** Writes the program with all verbs to the package folder. It needs no node_modules at run time. */
export function bundleProgram(packageDir: string): Promise<Bundle> {
  const files = { flotilla: "src/main/flotilla.ts", ...workers };
  const entries = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(root, file)]));
  return bundle({ entries, folder: join(packageDir, "program") });
}
