// SPDX-License-Identifier: Apache-2.0
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { RunFile } from "../cli/run-file.ts";

/** Writes `run.json` in one step; disposing removes it. Scripts take its presence for "ready". */
export function writeRunRecord(file: string, record: RunFile): Disposable {
  const partial = `${file}.partial`;
  writeFileSync(partial, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/** A kubeconfig without contexts: there is no cluster to talk to directly, and kubectl says so by itself. */
export const emptyKubeconfig = "apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers: []\n";

/** Writes the kubeconfig for the clusters that this process runs, readable by its owner only. */
export function writeKubeconfig(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}
