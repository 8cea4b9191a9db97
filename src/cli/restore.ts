// SPDX-License-Identifier: Apache-2.0
import { resolve } from "node:path";
import type { Random } from "../base/random.ts";
import { dataPaths } from "../store/data-directory.ts";
import { restoreDataDirectory } from "../store/sqlite/backup-folder.ts";
import type { Io } from "./io.ts";
import { type OutputFormat, printResult } from "./output.ts";

export interface RestoreRequest {
  readonly dataDir: string;
  readonly from: string;
  readonly output: OutputFormat;
  readonly random: Random;
}

/** Makes a data directory from a backup. Whoever watched the old store is told to list again, because this is another one. */
export async function restore(io: Io, { dataDir, from, output, random }: RestoreRequest): Promise<void> {
  const paths = dataPaths(dataDir);
  const { createdAt, revision } = restoreDataDirectory(paths, { source: resolve(from), random, wallMs: io.now() });
  await printResult(io.stdout, output, {
    value: { dataDir: paths.folder, backupCreatedAt: createdAt, backupRevision: revision },
    text: `Restored the backup of ${createdAt} into ${paths.folder}. Start it with: flotilla hub --data-dir ${paths.folder}\n`,
  });
}
