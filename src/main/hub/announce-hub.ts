// SPDX-License-Identifier: Apache-2.0
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { RunFile } from "../../cli/run-file.ts";

/**
 * Writes `run.json` atomically, then calls `onReady`. For scripts the file's existence means that the hub is ready.
 * Disposing removes the file. If `onReady` rejects, the file is removed and this rejects.
 */
export async function announceHub(
  file: string,
  record: RunFile,
  onReady: (record: RunFile) => void | Promise<void>,
): Promise<Disposable> {
  const remove = (): void => rmSync(file, { force: true });
  const partial = `${file}.partial`;
  writeFileSync(partial, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
  try {
    await onReady(record);
  } catch (reason) {
    remove();
    throw reason;
  }
  return { [Symbol.dispose]: remove };
}
