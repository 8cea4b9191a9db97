// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { peersFolder } from "./peer.ts";

/** Installs the databases beside this file, once. A failure is reported; the bench goes on with what is there. */
export async function installPeers(): Promise<void> {
  if (existsSync(join(peersFolder, "node_modules/.package-lock.json"))) return;
  const npm = spawn("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: peersFolder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  npm.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-2_000);
  });
  const [code] = (await once(npm, "close")) as [number | null];
  if (code !== 0) console.log(`the databases cannot be installed, npm ended with ${code}: ${errors}`);
}
