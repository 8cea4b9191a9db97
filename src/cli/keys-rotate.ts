// SPDX-License-Identifier: Apache-2.0
import { existsSync } from "node:fs";
import { FlotillaError } from "../base/error.ts";
import type { Random } from "../base/random.ts";
import type { Clock } from "../base/time/clock.ts";
import { rewriteDatabase } from "../store/backup/backup-database.ts";
import { dataPaths, lockDataDirectory } from "../store/data-directory.ts";
import { addKey } from "../store/keys/key-file.ts";
import { openHubStore } from "../store/sqlite/open-hub-store.ts";
import { type Io, say } from "./output/io.ts";
import { type OutputFormat, printResult } from "./output/output.ts";

export interface RotateRequest {
  readonly dataDir: string;
  readonly encryptedResources: readonly string[];
  readonly output: OutputFormat;
}

/**
 * Adds a new primary key to the key file and re-encrypts every body with it (ST28). After an interruption, running it
 * again continues.
 */
export async function rotateKeys(
  io: Io,
  { dataDir, encryptedResources, output }: RotateRequest,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<void> {
  const { folder, hubDb, keyFile } = dataPaths(dataDir);
  if (!existsSync(hubDb))
    throw new FlotillaError("NOT_FOUND", `${folder} contains no store; name the hub's folder with --data-dir`);
  using _lock = lockDataDirectory(folder);
  const { primary, byId } = addKey(keyFile, random);
  const store = await openHubStore({ file: hubDb, keyFile, encryptedResources }, { clock });
  try {
    const bodyCount = await store.rewrapBodies();
    await printResult(io.stdout, output, {
      value: { keyId: primary, bodyCount, keyFile },
      text: `Key ${primary} is in use; ${bodyCount} bodies were re-encrypted with it.\n`,
    });
  } finally {
    await store.close();
  }
  rewriteDatabase(hubDb);
  if (byId.size > 1) say(io, `${keyFile} keeps the older keys, because older backups need them`);
}
