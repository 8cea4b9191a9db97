// SPDX-License-Identifier: Apache-2.0
// A backup as a folder: copies of both databases, a manifest, and on request the keys.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { throwIfAborted } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Random } from "../../base/random.ts";
import { type DataPaths, dataPaths, lockDataDirectory } from "../data-directory.ts";
import { openKeyFile } from "../keys/key-file.ts";
import { type KeyFiles, openKeys, sealedKeysName, sealKeys } from "../keys/sealed-keys.ts";
import type { DatabaseKind } from "../sqlite/database.ts";
import { adoptRestoredStore } from "./adopt-restored.ts";
import { backupDatabase, checkDatabase } from "./backup-database.ts";
import { type BackupManifest, type ManifestFile, parseManifest } from "./backup-manifest.ts";
import { copyPrivately, type FileWork, hashFile } from "./file-pieces.ts";

const manifestName = "manifest.json";
/** The files of the hub's own CA. A restored hub needs them so that agents which pin the CA still trust it. */
const tlsNames = ["ca.crt", "ca.key"];

/** The files of a complete backup in addition to the stores, by their names below the data directory (ST30). */
const keyNames = ["keys", ...tlsNames.map((name) => `tls/${name}`)];

export interface BackupOptions extends FileWork {
  readonly target: string;
  readonly withKeys: boolean;
  /** Seals the keys into the backup (ST31). */
  readonly seal?: { readonly passphrase: string; readonly random: Random } | undefined;
  readonly version: string;
  readonly wallMs: number;
}

/**
 * Backs up a data directory, in use or not, into a folder that must not exist yet. The folder appears complete or not
 * at all (ST29). Rejects with the signal's reason if it aborts.
 */
export async function backupDataDirectory(paths: DataPaths, options: BackupOptions): Promise<BackupManifest> {
  const { target, withKeys, seal, version, wallMs } = options;
  if (existsSync(target)) throw new FlotillaError("ALREADY_EXISTS", `${target} already exists; name another folder`);
  if (!existsSync(paths.hubDb))
    throw new FlotillaError("NOT_FOUND", `${paths.folder} holds no store; name the hub's folder with --data-dir`);
  const partial = `${target}.partial`;
  rmSync(partial, { recursive: true, force: true });
  makeFolder(partial);
  try {
    const copy = dataPaths(partial);
    await backupDatabase("hub", paths.hubDb, copy.hubDb, options);
    if (existsSync(paths.fleetDb)) await backupDatabase("fleet", paths.fleetDb, copy.fleetDb, options);
    if (withKeys) await copyKeys(paths, copy);
    if (seal !== undefined) writeSealedKeys(paths, join(partial, sealedKeysName), seal);
    const files = await listFiles(partial, options);
    const manifest = {
      format: 1,
      version,
      createdAt: new Date(wallMs).toISOString(),
      ...readPosition(copy.hubDb),
      files,
    } as const;
    throwIfAborted(options.signal);
    writeFileSync(join(partial, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    renameSync(partial, target);
    return manifest;
  } catch (reason) {
    rmSync(partial, { recursive: true, force: true });
    throw reason;
  }
}

/** The keys that the data directory has and the backup lacks. Without them the backup is incomplete (ST30). */
export function missingKeys(paths: DataPaths, { files }: BackupManifest): readonly string[] {
  const held = new Set(files.map(({ name }) => name));
  if (held.has(sealedKeysName)) return [];
  return keyNames.filter((name) => existsSync(join(paths.folder, name)) && !held.has(name));
}

/**
 * The files of the hub's own CA that a restored data directory lacks. A hub started on it creates another CA (ST30).
 */
export function missingAuthority(paths: DataPaths): readonly string[] {
  return tlsNames.filter((name) => !existsSync(join(paths.tlsFolder, name))).map((name) => `tls/${name}`);
}

export interface RestoreOptions extends FileWork {
  readonly source: string;
  /** Opens the sealed keys of the backup. Required if it has them (ST31). */
  readonly passphrase?: string | undefined;
  readonly random: Random;
  readonly wallMs: number;
}

/**
 * Creates a data directory from a backup (ST20). The directory must contain no store yet. A key file already in it is
 * used if the backup has none. On failure, and if the signal aborts, the directory is left as it was.
 */
export async function restoreDataDirectory(paths: DataPaths, options: RestoreOptions): Promise<BackupManifest> {
  const { source, passphrase, random, wallMs, signal, onProgress } = options;
  const manifest = await readManifest(source, options);
  const sealed = openSealedKeys(source, manifest, passphrase);
  using _lock = lockDataDirectory(paths.folder);
  if (existsSync(paths.hubDb) || existsSync(paths.fleetDb)) {
    throw new FlotillaError(
      "ALREADY_EXISTS",
      `${paths.folder} already holds a store; restore into another folder, or move it away first`,
    );
  }
  // The file gets its final name only after it is a separate store: an interrupted restore leaves nothing that a hub
  // would open.
  const adopting = `${paths.hubDb}.restoring`;
  removeDatabase(adopting);
  const restored: string[] = [];
  try {
    for (const { name } of manifest.files) {
      if (name === sealedKeysName) continue;
      const target = name === "hub.db" ? adopting : join(paths.folder, name);
      if (existsSync(target)) continue;
      makeFolder(dirname(target));
      restored.push(target);
      onProgress?.(`copying ${name}`);
      await copyPrivately(join(source, name), target, signal);
    }
    for (const [name, bytes] of sealed) {
      const target = join(paths.folder, name);
      if (existsSync(target)) continue;
      makeFolder(dirname(target));
      restored.push(target);
      writeFileSync(target, bytes, { mode: 0o600, flush: true });
    }
    const keys = existsSync(paths.keyFile) ? openKeyFile(paths.keyFile, random) : undefined;
    adoptRestoredStore(adopting, { random, wallMs, keys });
    throwIfAborted(signal);
    renameSync(adopting, paths.hubDb);
    return manifest;
  } catch (reason) {
    for (const file of restored) rmSync(file, { force: true });
    removeDatabase(adopting);
    throw reason;
  }
}

function removeDatabase(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}

async function readManifest(source: string, { signal, onProgress }: FileWork): Promise<BackupManifest> {
  const file = join(source, manifestName);
  if (!existsSync(file)) throw new FlotillaError("NOT_FOUND", `${source} is not a backup: it has no ${manifestName}`);
  const manifest = parseManifest(readFileSync(file, "utf8"), file);
  for (const expected of manifest.files) {
    const path = join(source, expected.name);
    onProgress?.(`checking ${expected.name}`);
    const found = existsSync(path) ? await hashFile(path, signal) : undefined;
    if (found?.sha256 !== expected.sha256) {
      throw new FlotillaError("STORE_CORRUPT", `${path} is not the file that was backed up; use another backup`, {
        ids: { file: path },
      });
    }
    const kind = databaseKinds[expected.name];
    if (kind !== undefined) checkDatabase(kind, path);
    throwIfAborted(signal);
  }
  return manifest;
}

const databaseKinds: Readonly<Record<string, DatabaseKind>> = { "hub.db": "hub", "fleet.db": "fleet" };

function writeSealedKeys(
  paths: DataPaths,
  target: string,
  { passphrase, random }: NonNullable<BackupOptions["seal"]>,
): void {
  const held = keyNames.filter((name) => existsSync(join(paths.folder, name)));
  const files = new Map(held.map((name) => [name, readFileSync(join(paths.folder, name))]));
  writeFileSync(target, sealKeys(files, passphrase, random), { mode: 0o600, flush: true });
}

/** Called before anything is written, so that a wrong passphrase leaves nothing behind. */
function openSealedKeys(source: string, { files }: BackupManifest, passphrase: string | undefined): KeyFiles {
  if (!files.some(({ name }) => name === sealedKeysName)) return new Map();
  if (passphrase === undefined)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      "the keys of this backup are sealed; name the file of its passphrase with --passphrase-file",
    );
  return openKeys(readFileSync(join(source, sealedKeysName), "utf8"), passphrase);
}

async function copyKeys(from: DataPaths, to: DataPaths): Promise<void> {
  if (existsSync(from.keyFile)) await copyPrivately(from.keyFile, to.keyFile, undefined);
  makeFolder(to.tlsFolder);
  for (const name of tlsNames) {
    const file = join(from.tlsFolder, name);
    if (existsSync(file)) await copyPrivately(file, join(to.tlsFolder, name), undefined);
  }
}

async function listFiles(folder: string, { signal, onProgress }: FileWork): Promise<readonly ManifestFile[]> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const files: ManifestFile[] = [];
  for (const name of names) {
    onProgress?.(`hashing ${name}`);
    files.push({ name, ...(await hashFile(join(folder, name), signal)) });
  }
  return files;
}

function readPosition(hubDb: string): { readonly storeId: string; readonly revision: number } {
  using db = new DatabaseSync(hubDb, { readOnly: true });
  const meta = db.prepare("SELECT store_id, revision FROM meta").get() ?? {};
  return { storeId: String(meta["store_id"]), revision: Number(meta["revision"]) };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new FlotillaError("UNAVAILABLE", `${folder} cannot be created; check the path and its permissions`, {
      cause,
    });
  }
}
