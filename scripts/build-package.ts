// SPDX-License-Identifier: Apache-2.0
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { bundleAgent } from "./bundle-agent.ts";
import { bundleProgram } from "./bundle-program.ts";
import { writeBin } from "./package-entry.ts";
import { renderPackageManifest, thirdPartyPath } from "./package-manifest.ts";
import { root } from "./project.ts";
import { renderThirdParty } from "./third-party.ts";

/** Copied unchanged. */
const copied = ["sql", "ui/dist", "README.md", "LICENSE"];

/**
 * Writes the package into a folder, which is replaced. The package has no dependencies at run time. Returns the parts
 * that are missing because they are not built yet.
 */
export async function buildPackage(outDir: string, interpreter?: string): Promise<readonly string[]> {
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  // The stamp of ui/dist identifies its sources and is not needed in the package.
  const filter = (path: string): boolean => basename(path) !== ".stamp";
  const [there, missing] = [copied.filter(isThere), copied.filter((name) => !isThere(name))];
  for (const name of there) cpSync(join(root, name), join(outDir, name), { recursive: true, filter });
  writeFileSync(join(outDir, "package.json"), renderPackageManifest(readFileSync(join(root, "package.json"), "utf8")));
  writeBin(outDir, interpreter);
  const bundles = [await bundleAgent(outDir), await bundleProgram(outDir)];
  const modules = new Set(bundles.flatMap(({ moduleFiles }) => moduleFiles));
  writeFileSync(join(outDir, thirdPartyPath), renderThirdParty([...modules]));
  return missing;
}

function isThere(name: string): boolean {
  return existsSync(join(root, name));
}
