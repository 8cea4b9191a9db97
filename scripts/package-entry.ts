// SPDX-License-Identifier: Apache-2.0
import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundlePath } from "./bundle-agent.ts";

/** Where the bin stands in the package: the same path as in src/, built. */
export const binPath = "src/main/flotilla.js";

/** The compiled entry, beside the bin so that it finds its modules. */
const modulesName = "flotilla-modules.js";

/** All that the bin does. Every other verb than the agent's runs from modules: a bundle has classes of its own, so the two never meet in a process. */
const bin = `#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// An agent runs from its bundle, which takes less memory than modules.
await import(process.argv[2] === "agent" ? "../../${bundlePath}" : "./${modulesName}");
`;

/** Puts the bin of a package in the place of the compiled entry, which it then leads to. Throws if there is none. */
export function writeBin(packageDir: string): void {
  const path = join(packageDir, binPath);
  renameSync(path, join(dirname(path), modulesName));
  writeFileSync(path, bin);
  chmodSync(path, 0o755);
}
