// SPDX-License-Identifier: Apache-2.0
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The nearest folder from `folder` upwards that contains a package.json: the root of the clone, or of the built
 * package. Shipped files (sql/, ui/dist/) are located from it, so that a module finds them after bundling. Returns
 * `folder` itself if there is none.
 */
export function findPackageFolder(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, "package.json"))) return current;
    if (dirname(current) === current) return folder;
  }
}
