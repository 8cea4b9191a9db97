// SPDX-License-Identifier: Apache-2.0
// The bundled program of a clone, built once for each state of its sources. It starts in a sixth of the time of the
// modules. Plain JavaScript, like the bootstrap.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Source folders of bundle and page, besides the lock file. */
const sourceFolders = ["src", "ui", "scripts"];

/** Not part of any bundle: build output, installed packages and tests. */
const excludedNames = /^(dist|dist\..*|node_modules|testing|.*\.test\.ts)$/;

/** Number of bundles kept, because a running hub may still load files from an older one. */
const keptCount = 5;

/**
 * A hash over path, size and modification time of every source file. It takes about 10 ms; reading the files would take
 * 100.
 */
function hashState(root) {
  const hash = createHash("sha256");
  const addFile = (path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat !== undefined) hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\0`);
  };
  const addFolder = (path) => {
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (excludedNames.test(entry.name)) continue;
      if (entry.isDirectory()) addFolder(`${path}/${entry.name}`);
      else addFile(`${path}/${entry.name}`);
    }
  };
  for (const folder of sourceFolders) if (existsSync(join(root, folder))) addFolder(folder);
  addFile("package-lock.json");
  return hash.digest("hex").slice(0, 16);
}

/** The path of the bundle for the current sources, built or not. */
export function bundledProgram(root) {
  const all = join(root, "node_modules", ".flotilla");
  const folder = join(all, hashState(root));
  const file = join(folder, "program", "flotilla.js");
  return { file, folder, isThere: existsSync(file) };
}

/** Removes all but the newest bundles, to make room for a new one. */
export function removeOldBundles(root) {
  const all = join(root, "node_modules", ".flotilla");
  mkdirSync(all, { recursive: true });
  const ages = readdirSync(all).map((name) => ({ name, madeAt: statSync(join(all, name)).mtimeMs }));
  const old = ages.sort((a, b) => b.madeAt - a.madeAt).slice(keptCount - 1);
  for (const { name } of old) rmSync(join(all, name), { recursive: true, force: true });
}
