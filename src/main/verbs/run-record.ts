// SPDX-License-Identifier: Apache-2.0
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { RunFile } from "../../cli/run-file.ts";

/** Writes `run.json` atomically; disposing removes it. For scripts its existence means that the hub is ready. */
export function writeRunRecord(file: string, record: RunFile): Disposable {
  const partial = `${file}.partial`;
  writeFileSync(partial, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/** A kubeconfig without contexts, for a process that runs no clusters. */
export const emptyKubeconfig = "apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers: []\n";

/** Writes the kubeconfig of the clusters that this process runs, readable by its owner only. */
export function writeKubeconfig(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}
