// SPDX-License-Identifier: Apache-2.0
import { resolve } from "node:path";
import type { Random } from "../base/random.ts";
import { missingAuthority, restoreDataDirectory } from "../store/backup/backup-folder.ts";
import { dataPaths } from "../store/data-directory.ts";
import { type Io, say } from "./output/io.ts";
import { type OutputFormat, printResult } from "./output/output.ts";
import { createProgress } from "./output/progress.ts";
import { readPassphrase, showingSteps } from "./run-backup.ts";

export interface RestoreRequest {
  readonly dataDir: string;
  readonly from: string;
  readonly passphraseFile?: string | undefined;
  readonly output: OutputFormat;
}

/**
 * Creates a data directory from a backup. Clients of the old store must list again, because the store id is new.
 * If the signal aborts, the data directory is left as it was and this rejects with the signal's reason (CL20).
 */
export async function restore(
  io: Io,
  { dataDir, from, passphraseFile, output }: RestoreRequest,
  { random, signal }: { readonly random: Random; readonly signal: AbortSignal },
): Promise<void> {
  const paths = dataPaths(dataDir);
  const passphrase = readPassphrase(passphraseFile);
  const source = resolve(from);
  const { createdAt, revision } = await showingSteps(createProgress(io, output), "restore", (onProgress) =>
    restoreDataDirectory(paths, { source, passphrase, random, wallMs: io.now(), signal, onProgress }),
  );
  const missing = missingAuthority(paths);
  await printResult(io.stdout, output, {
    value: { dataDir: paths.folder, backupCreatedAt: createdAt, backupRevision: revision, missing: [...missing] },
    text: `Restored the backup of ${createdAt} into ${paths.folder}. Start it with: flotilla hub --data-dir ${paths.folder}\n`,
  });
  if (missing.length > 0)
    say(
      io,
      `the backup contains no CA: copy ${missing.join(" and ")} of the old hub into ${paths.folder} before you start it; otherwise it creates a new CA that no agent trusts`,
    );
}
