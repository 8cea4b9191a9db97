// SPDX-License-Identifier: Apache-2.0
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FlotillaError } from "../base/error.ts";

/** The paths of one embedded hub's files. */
export interface DataPaths {
  readonly folder: string;
  readonly hubDb: string;
  readonly fleetDb: string;
  /** The keys of encrypted bodies. */
  readonly keyFile: string;
  /** The hub's own CA and certificate. */
  readonly tlsFolder: string;
  readonly adminTokenFile: string;
  readonly kubeconfig: string;
  readonly runFile: string;
}

export function dataPaths(folder: string): DataPaths {
  const root = resolve(folder);
  return {
    folder: root,
    hubDb: join(root, "hub.db"),
    fleetDb: join(root, "fleet.db"),
    keyFile: join(root, "keys"),
    tlsFolder: join(root, "tls"),
    adminTokenFile: join(root, "admin-token"),
    kubeconfig: join(root, "kubeconfig"),
    runFile: join(root, "run.json"),
  };
}

/** The exclusive right to use a data directory. Disposal releases it, or the operating system when the process ends. */
export type DirectoryLock = Disposable;

/**
 * Creates the folder (mode 0700) if it does not exist, and locks it for this process (ST24). The lock is an open
 * exclusive transaction on a small database: in Node it is the only lock that the kernel releases after a crash.
 */
export function lockDataDirectory(folder: string): DirectoryLock {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new FlotillaError("UNAVAILABLE", `data directory ${folder} cannot be created; name another with --data-dir`, {
      cause,
    });
  }
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(join(folder, "lock"), { timeout: 0 });
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (cause) {
    db?.close();
    const isHeld = cause instanceof Error && "errcode" in cause && cause.errcode === 5;
    throw isHeld
      ? new FlotillaError(
          "STORE_IN_USE",
          `data directory ${folder} is in use by another hub; stop it, or name another with --data-dir`,
          { cause },
        )
      : new FlotillaError("UNAVAILABLE", `data directory ${folder} cannot be written; check its owner and mode`, {
          cause,
        });
  }
}
