// SPDX-License-Identifier: Apache-2.0
// Looks for a text in everything that a hub keeps on disk, as somebody would who has got hold of the disk.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";

/** Begins every zstd frame. */
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Where a text was found, for a failure that can be read. */
export interface StoredText {
  readonly files: readonly string[];
  /** `file: table.column` of values that hold it, as they are or within compressed bytes. */
  readonly values: readonly string[];
}

/**
 * Every file below `folder`, and every value of its SQLite stores, that holds the text; folders named in `leftOut`
 * aside. Stores may be in use.
 */
export function findStoredText(folder: string, text: string, leftOut: readonly string[]): StoredText {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => !leftOut.includes(path.split(sep)[0] ?? ""));
  const values = files
    .filter((path) => path.endsWith(".db"))
    .flatMap((path) => valuesWith(join(folder, path), text).map((place) => `${path}: ${place}`));
  return { files: files.filter((path) => holdsText(readFileSync(join(folder, path)), text)), values };
}

function valuesWith(file: string, text: string): readonly string[] {
  const store = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = store.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return tables.flatMap(({ name }) => {
      const found = new Set<string>();
      for (const row of store.prepare(`SELECT * FROM "${String(name)}"`).iterate()) {
        for (const [column, value] of Object.entries(row))
          if (isWith(value, text)) found.add(`${String(name)}.${column}`);
      }
      return [...found];
    });
  } finally {
    store.close();
  }
}

function isWith(value: unknown, text: string): boolean {
  if (typeof value === "string") return value.includes(text);
  if (!(value instanceof Uint8Array)) return false;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  return holdsText(bytes, text) || unpacked(bytes).some((inner) => holdsText(inner, text));
}

function holdsText(bytes: Buffer, text: string): boolean {
  return bytes.includes(text) || bytes.includes(text, 0, "utf16le");
}

/** What each zstd frame in the bytes holds. Bytes that only look like the beginning of one hold nothing. */
function unpacked(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = bytes.indexOf(zstdMagic); at !== -1; at = bytes.indexOf(zstdMagic, at + 1)) {
    try {
      found.push(zstdDecompressSync(bytes.subarray(at)));
    } catch (reason) {
      if (!(reason instanceof Error && "code" in reason)) throw reason;
    }
  }
  return found;
}
