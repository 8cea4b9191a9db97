// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder, deleted on dispose. */
export interface ScratchFolder extends AsyncDisposable {
  readonly path: string;
  file(name: string): string;
}

export async function openScratchFolder(): Promise<ScratchFolder> {
  const path = await mkdtemp(join(tmpdir(), "flotilla-rpc-"));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
