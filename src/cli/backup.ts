// SPDX-License-Identifier: Apache-2.0
import { resolve } from "node:path";
import { dataPaths } from "../store/data-directory.ts";
import { backupDataDirectory } from "../store/sqlite/backup-folder.ts";
import { type Io, say } from "./io.ts";
import { type OutputFormat, printResult } from "./output.ts";

export interface BackupRequest {
  readonly dataDir: string;
  readonly to: string;
  readonly withKeys: boolean;
  readonly output: OutputFormat;
  readonly version: string;
}

/** Backs up a data directory, whether a hub runs in it or not, and says what the backup holds. */
export async function backUp(io: Io, { dataDir, to, withKeys, output, version }: BackupRequest): Promise<void> {
  const target = resolve(to);
  const manifest = backupDataDirectory(dataPaths(dataDir), { target, withKeys, version, wallMs: io.now() });
  const { storeId, revision, createdAt, files } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  await printResult(io.stdout, output, {
    value: { folder: target, storeId, revision, createdAt, bytes, files: files.map((file) => ({ ...file })) },
    text: `Backed up store ${storeId} at revision ${revision} to ${target} (${files.length} files, ${bytes} bytes).\n`,
  });
  if (!withKeys)
    say(
      io,
      "the backup holds no keys; keep the file `keys` of the data directory apart from it, encrypted bodies need it",
    );
}
