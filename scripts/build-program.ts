// SPDX-License-Identifier: Apache-2.0
// `scripts/build-program.ts FOLDER`: bundles the program for a clone (scripts/bundled-program.mjs chooses the folder).
// It is built in a temporary folder and renamed, because another process may build the same.
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { bundleProgram } from "./bundle-program.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: scripts/build-program.ts FOLDER");
const scratch = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
try {
  await bundleProgram(scratch);
  if (!existsSync(folder)) renameSync(scratch, folder);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
