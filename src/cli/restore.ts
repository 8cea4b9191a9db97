// SPDX-License-Identifier: Apache-2.0
import { resolve } from "node:path";
import type { Random } from "../base/random.ts";
import { dataPaths } from "../store/data-directory.ts";
import { missingAuthority, restoreDataDirectory } from "../store/sqlite/backup-folder.ts";
import { readPassphrase } from "./backup.ts";
import { type Io, say } from "./io.ts";
import { type OutputFormat, printResult } from "./output.ts";

export interface RestoreRequest {
  readonly dataDir: string;
  readonly from: string;
  readonly passphraseFile?: string | undefined;
  readonly output: OutputFormat;
  readonly random: Random;
}

/** Makes a data directory from a backup. Whoever watched the old store is told to list again, because this is another one. */
export async function restore(io: Io, request: RestoreRequest): Promise<void> {
  const { dataDir, from, passphraseFile, output, random } = request;
  const paths = dataPaths(dataDir);
  const passphrase = readPassphrase(passphraseFile);
  const options = { source: resolve(from), passphrase, random, wallMs: io.now() };
  const { createdAt, revision } = restoreDataDirectory(paths, options);
  const missing = missingAuthority(paths);
  await printResult(io.stdout, output, {
    value: { dataDir: paths.folder, backupCreatedAt: createdAt, backupRevision: revision, missing: [...missing] },
    text: `Restored the backup of ${createdAt} into ${paths.folder}. Start it with: flotilla hub --data-dir ${paths.folder}\n`,
  });
  if (missing.length > 0)
    say(
      io,
      `the backup held no CA: copy ${missing.join(" and ")} of the old hub into ${paths.folder} before you start it, or it makes a new CA that no agent trusts`,
    );
}
