// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundlePath } from "./bundle-agent.ts";
import { programPath } from "./bundle-program.ts";

/** Where the bin stands in the package. */
export const binPath = "bin/flotilla.js";

/**
 * All that the bin does. An agent has a bundle of its own, which takes less memory; two bundles never meet in a process. Compiled code of other verbs
 * is kept in the user's own cache, where no other user can write: a fifth less time to start. Where that folder cannot be written, Node goes without.
 */
const bin = (interpreter: string): string => `#!${interpreter}
// SPDX-License-Identifier: Apache-2.0
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

if (process.argv[2] === "agent") {
  await import("../${bundlePath}");
} else {
  enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "flotilla", "compiled"));
  await import("../${programPath}");
}
`;

/** Writes the bin of a package. `interpreter` is the program that the kernel runs it with: the Node on PATH, unless one is at a fixed place. */
export function writeBin(packageDir: string, interpreter = "/usr/bin/env node"): void {
  const path = join(packageDir, binPath);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bin(interpreter), { mode: 0o755 });
}
