// SPDX-License-Identifier: Apache-2.0
// The program of a clone, bundled once for each state of its sources: it starts in a sixth of the time that modules take. Plain JavaScript, as the bootstrap is.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** What bundle and page are made from, the lock file aside. */
const sourceFolders = ["src", "ui", "scripts"];

/** Of no bundle: what is built, what is installed, and tests. */
const leftOut = /^(dist|dist\..*|node_modules|testing|.*\.test\.ts)$/;

/** Bundles of earlier states that stay: a hub that still runs from one may load more of it. */
const keptCount = 5;

/** A hash over the path, size and time of every source file: some 10 ms, where reading them would take 100. */
function hashState(root) {
  const hash = createHash("sha256");
  const addFile = (path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat !== undefined) hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\0`);
  };
  const addFolder = (path) => {
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (leftOut.test(entry.name)) continue;
      if (entry.isDirectory()) addFolder(`${path}/${entry.name}`);
      else addFile(`${path}/${entry.name}`);
    }
  };
  for (const folder of sourceFolders) if (existsSync(join(root, folder))) addFolder(folder);
  addFile("package-lock.json");
  return hash.digest("hex").slice(0, 16);
}

/** Where the bundle of the present sources is, or would be. */
export function bundledProgram(root) {
  const all = join(root, "node_modules", ".flotilla");
  const folder = join(all, hashState(root));
  const file = join(folder, "program", "flotilla.js");
  return { file, folder, isThere: existsSync(file) };
}

/** Makes room for a new bundle: removes all but the newest few. */
export function removeOldBundles(root) {
  const all = join(root, "node_modules", ".flotilla");
  mkdirSync(all, { recursive: true });
  const ages = readdirSync(all).map((name) => ({ name, madeAt: statSync(join(all, name)).mtimeMs }));
  const old = ages.sort((a, b) => b.madeAt - a.madeAt).slice(keptCount - 1);
  for (const { name } of old) rmSync(join(all, name), { recursive: true, force: true });
}
