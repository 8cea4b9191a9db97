// SPDX-License-Identifier: Apache-2.0
// The file of body keys: one line each, `key_id base64`, newest first.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Random } from "../../base/random.ts";
import type { BodyKeys } from "./body-cipher.ts";

const keyBytes = 32;

/** Reads the keys. Creates the file with one key if it does not exist. Refuses a file that others can read (ST27). */
export function openKeyFile(file: string, random: Random): BodyKeys {
  return onDisk(file, () => {
    if (!existsSync(file)) writeKeys(file, [newLine(random)]);
    return parseKeys(file, readLines(file));
  });
}

/**
 * Adds a new key at the front and keeps the older ones for reading (ST28). The store uses it after it is opened again.
 */
export function addKey(file: string, random: Random): BodyKeys {
  onDisk(file, () => writeKeys(file, [newLine(random), ...(existsSync(file) ? readLines(file) : [])]));
  return openKeyFile(file, random);
}

function onDisk<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof FlotillaError) throw cause;
    const sentence = `key file ${file} cannot be read or written; check its folder, its owner and its mode`;
    throw new FlotillaError("UNAVAILABLE", sentence, { cause, ids: { file } });
  }
}

function newLine(random: Random): string {
  return `${createId("key", random)} ${Buffer.from(random.bytes(keyBytes)).toString("base64")}`;
}

function readLines(file: string): readonly string[] {
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) !== 0) {
    throw new FlotillaError(
      "STORE_FOREIGN",
      `key file ${file} can be read by other users (mode ${mode.toString(8)}); set it to 600`,
    );
  }
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function parseKeys(file: string, lines: readonly string[]): BodyKeys {
  const byId = new Map<string, Uint8Array>();
  for (const [index, line] of lines.entries()) {
    const [id = "", encoded = ""] = line.split(" ");
    const key = Buffer.from(encoded, "base64");
    if (id === "" || key.length !== keyBytes)
      throw new FlotillaError("STORE_FOREIGN", `key file ${file} is damaged at line ${index + 1}`);
    byId.set(id, key);
  }
  const [primary] = byId.keys();
  if (primary === undefined)
    throw new FlotillaError("STORE_FOREIGN", `key file ${file} holds no key; restore it from a backup`);
  return { primary, byId };
}

function writeKeys(file: string, lines: readonly string[]): void {
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  writeFileSync(partial, `${lines.join("\n")}\n`, { mode: 0o600, flag: "wx", flush: true });
  renameSync(partial, file);
  // A body that was sealed with a key lost in a power failure is unreadable: the rename must be on disk before the key
  // is used.
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
