// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { FlotillaError } from "../base/error.ts";
import type { Random } from "../base/random.ts";
import { backupDataDirectory, missingKeys } from "../store/backup/backup-folder.ts";
import type { FileWork } from "../store/backup/file-pieces.ts";
import { dataPaths } from "../store/data-directory.ts";
import { parsePassphrase } from "../store/keys/sealed-keys.ts";
import { type Io, say } from "./output/io.ts";
import { type OutputFormat, printResult } from "./output/output.ts";
import { createProgress, type TerminalProgress } from "./output/progress.ts";

export interface BackupRequest {
  readonly dataDir: string;
  readonly to: string;
  readonly withKeys: boolean;
  /** "" or undefined: the backup has no encrypted keys. */
  readonly passphraseFile?: string | undefined;
  readonly output: OutputFormat;
}

export interface BackupContext {
  readonly version: string;
  readonly random: Random;
  /** Aborts the backup and removes what was written (CL20). */
  readonly signal: AbortSignal;
}

/**
 * Backs up a data directory, whether a hub runs in it or not. Prints what the backup contains and what it lacks (ST30).
 * Rejects with the signal's reason.
 */
export async function backUp(
  io: Io,
  { dataDir, to, withKeys, passphraseFile, output }: BackupRequest,
  { version, random, signal }: BackupContext,
): Promise<void> {
  const target = resolve(to);
  const paths = dataPaths(dataDir);
  const passphrase = readPassphrase(passphraseFile);
  const seal = passphrase === undefined ? undefined : { passphrase, random };
  const manifest = await showingSteps(createProgress(io, output), "backup", (onProgress) =>
    backupDataDirectory(paths, { target, withKeys, seal, version, wallMs: io.now(), signal, onProgress }),
  );
  const { storeId, revision, createdAt, files } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const missing = missingKeys(paths, manifest);
  const isComplete = missing.length === 0;
  await printResult(io.stdout, output, {
    value: {
      folder: target,
      storeId,
      revision,
      createdAt,
      bytes,
      isComplete,
      missing: [...missing],
      files: files.map((file) => ({ ...file })),
    },
    text: `Backed up store ${storeId} at revision ${revision} to ${target} (${files.length} files, ${bytes} bytes).\n`,
  });
  if (!isComplete)
    say(
      io,
      `this backup is not complete: it lacks ${missing.join(", ")}; without them no agent trusts a hub restored elsewhere and encrypted bodies cannot be read; add --passphrase-file FILE to include them encrypted, or --with-keys to include them unencrypted`,
    );
}

/**
 * Runs work with a progress line on the terminal that shows its step and percentage; the line is removed at the end
 * (CL20).
 */
export async function showingSteps<Result>(
  progress: TerminalProgress,
  what: string,
  work: (onProgress: NonNullable<FileWork["onProgress"]>) => Promise<Result>,
): Promise<Result> {
  try {
    return await work((step, percent) =>
      progress.show(`${what}: ${step}${percent === undefined ? "" : `, ${percent} %`}`),
    );
  } finally {
    progress.clear();
  }
}

/** Reads the passphrase from a file; undefined if no file is named. Throws NOT_FOUND or INVALID_ARGUMENT. */
export function readPassphrase(file: string | undefined): string | undefined {
  if (file === undefined || file === "") return undefined;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new FlotillaError("NOT_FOUND", `the passphrase file ${file} cannot be read`, { cause });
  }
  return parsePassphrase(text, file);
}
