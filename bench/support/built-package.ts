// SPDX-License-Identifier: Apache-2.0
import { join } from "node:path";
import { binPath } from "../../scripts/package-entry.ts";
import { root, runNode } from "../../scripts/project.ts";

/**
 * Builds the package into a folder and answers the path of its program: agents are measured as they are shipped.
 * BENCH_PACKAGE names a package that was built before, to save that half minute while a bench is written.
 */
export async function buildPackage(folder: string): Promise<string> {
  const built = process.env["BENCH_PACKAGE"] ?? join(folder, "package");
  if (process.env["BENCH_PACKAGE"] === undefined) {
    const { code, output } = await runNode([join(root, "scripts/build.ts"), "--out", built]);
    if (code !== 0) throw new Error(`the package cannot be built: ${output}`);
  }
  return join(built, binPath);
}
