// SPDX-License-Identifier: Apache-2.0
// Deterministic tar archives for the layers of an image: the bytes depend only on the entries.

/** One entry of an archive. `path` has no `/` at either end. */
export type TarEntry = { readonly path: string; readonly mode: number; readonly owner?: number } & (
  | { readonly type: "file"; readonly bytes: Uint8Array }
  | { readonly type: "folder" }
  | { readonly type: "link"; readonly target: string }
);

const blockBytes = 512;

/** The fields of a ustar header: offset and length. */
const field = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  target: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

const typeFlag = { file: "0", link: "2", folder: "5" } as const;

/**
 * Writes a ustar archive, sorted by path, every folder before its content. Owner and group are `owner` (default 0), the
 * time is 1970. Throws for a path that ustar cannot represent.
 */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const blocks = withFolders(entries).flatMap((entry) => {
    const bytes = entry.type === "file" ? entry.bytes : new Uint8Array();
    const padding = Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes);
    return [header(entry, bytes.length), bytes, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

/** The entries with their parent folders, sorted by path. */
function withFolders(entries: readonly TarEntry[]): readonly TarEntry[] {
  const byPath = new Map<string, TarEntry>();
  for (const { path } of entries)
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
      byPath.set(path.slice(0, at), { path: path.slice(0, at), type: "folder", mode: 0o755 });
  for (const entry of entries) byPath.set(entry.path, entry);
  return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function header(entry: TarEntry, sizeBytes: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const put = ([at, length]: readonly [number, number], text: string): void => {
    if (block.write(text, at, length) !== Buffer.byteLength(text))
      throw new Error(`${entry.path} does not fit into tar`);
  };
  const octal = (number: number, digits: number): string => number.toString(8).padStart(digits, "0");
  const { prefix, name } = splitPath(entry.type === "folder" ? `${entry.path}/` : entry.path);
  put(field.name, name);
  put(field.prefix, prefix);
  put(field.mode, octal(entry.mode, 7));
  put(field.uid, octal(entry.owner ?? 0, 7));
  put(field.gid, octal(entry.owner ?? 0, 7));
  put(field.size, octal(sizeBytes, 11));
  put(field.mtime, octal(0, 11));
  put(field.type, typeFlag[entry.type]);
  if (entry.type === "link") put(field.target, entry.target);
  put(field.magic, "ustar\u000000");
  put(field.checksum, " ".repeat(field.checksum[1]));
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(field.checksum, `${octal(sum, 6)}\0 `);
  return block;
}

/** A path of more than 100 bytes is split at a slash: at most 155 bytes before it, and a non-empty name after it. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= field.name[1]) return { prefix: "", name: path };
  const at = path.lastIndexOf("/", Math.min(field.prefix[1], path.length - 2));
  return { prefix: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) };
}

/**
 * Reads the files, folders and symbolic links of an archive: ustar, or GNU's form with long names. Other entries are
 * skipped. Throws for a truncated archive.
 */
export function readTar(tar: Buffer): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + blockBytes <= tar.length && tar[at] !== 0; ) {
    const text = ([from, length]: readonly [number, number]): string =>
      tar.toString("utf8", at + from, at + from + length).replace(/\0.*$/s, "");
    const sizeBytes = Number.parseInt(text(field.size), 8) || 0;
    const bytes = tar.subarray(at + blockBytes, at + blockBytes + sizeBytes);
    if (bytes.length < sizeBytes) throw new Error("the archive is truncated");
    const name = longName ?? [text(field.prefix), text(field.name)].filter((part) => part !== "").join("/");
    const path = name.replace(/^(\.?\/)+/, "").replace(/\/$/, "");
    const mode = Number.parseInt(text(field.mode), 8) & 0o7777;
    const type = text(field.type);
    longName = type === "L" ? bytes.toString("utf8").replace(/\0.*$/s, "") : undefined;
    if (path !== "" && type === typeFlag.folder) entries.push({ path, mode, type: "folder" });
    if (type === typeFlag.link) entries.push({ path, mode, type: "link", target: text(field.target) });
    if (type === typeFlag.file || type === "") entries.push({ path, mode, type: "file", bytes });
    at += blockBytes + Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
  return entries;
}
