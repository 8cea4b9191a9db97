// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundlePath } from "./bundle-agent.ts";
import { programPath } from "./bundle-program.ts";

/** Path of the bin in the package. */
export const binPath = "bin/flotilla.js";

/**
 * The text of the bin. An agent uses its own bundle, which needs less memory; a process never loads both. For other
 * verbs compiled code is cached in the user's own cache, which no other user can write to: start-up takes a fifth less
 * time. If that folder is not writable, Node skips the cache.
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

/** Writes the bin of a package. `interpreter` is the program in its `#!` line: by default the Node on PATH. */
export function writeBin(packageDir: string, interpreter = "/usr/bin/env node"): void {
  const path = join(packageDir, binPath);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bin(interpreter), { mode: 0o755 });
}
