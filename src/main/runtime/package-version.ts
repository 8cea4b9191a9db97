// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** How many folders up package.json may be: from dist/src/main it is three. */
const maxFoldersUp = 4;

/** The version in the nearest package.json at or above `folder`; works from source and from the built package. */
export function readPackageVersion(folder: string): string {
  let current = folder;
  for (let up = 0; up <= maxFoldersUp; up += 1) {
    const version = versionIn(join(current, "package.json"));
    if (version !== undefined) return version;
    current = dirname(current);
  }
  return "unknown";
}

function versionIn(path: string): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    const isPackage = typeof value === "object" && value !== null && "version" in value;
    return isPackage && typeof value.version === "string" ? value.version : undefined;
  } catch (reason) {
    // Most folders have no package.json; a broken one is ignored here.
    void reason;
    return undefined;
  }
}
