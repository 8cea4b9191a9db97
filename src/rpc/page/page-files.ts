// SPDX-License-Identifier: Apache-2.0
// The files of the page as a table in memory, read once at start. No request path reaches the file system (PG5, PG6).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { FlotillaError } from "../../base/error.ts";

/** Encodings that the build produces, best first. */
export const pageCodings = ["br", "gzip"] as const;

export type PageCoding = (typeof pageCodings)[number];

const codingOfSuffix: ReadonlyMap<string, PageCoding> = new Map([
  [".br", "br"],
  [".gz", "gzip"],
]);

/** One file of the page, in each encoding that the build produced. */
export interface PageFile {
  readonly contentType: string;
  /** Hash of the content. */
  readonly hash: string;
  /** True if the file name contains a hash of the content, so that the content under that name never changes. */
  readonly isImmutable: boolean;
  readonly identity: Uint8Array;
  readonly coded: ReadonlyMap<PageCoding, Uint8Array>;
}

/** The files by their path below the page's root, without a leading slash. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The page itself. */
export const pageIndex = "index.html";

/** Content types by extension. Files with other extensions are not served. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json"],
  [".webmanifest", "application/manifest+json"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".ico", "image/x-icon"],
  [".woff2", "font/woff2"],
]);

/** Vite's naming of hashed files: below assets/, with a hash of eight characters before the extension. */
const hashedName = /^assets\/.+-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/;

/** 64 MiB for all encodings together, kept in memory: about thirty times the size of the page. */
const maxTotalBytes = 64 * 1024 * 1024;

/** Reads the built page; undefined if `folder` contains none. Throws CONFIG_INVALID if it is larger than 64 MiB. */
export function readPageFiles(folder: string): PageFiles | undefined {
  const paths = listFiles(folder);
  if (!paths.has(pageIndex)) return undefined;
  let totalBytes = 0;
  for (const file of paths.values()) totalBytes += statSync(file).size;
  if (totalBytes > maxTotalBytes) {
    throw new FlotillaError("CONFIG_INVALID", `the page in ${folder} has ${totalBytes} bytes; build it again`);
  }
  const files = new Map<string, PageFile>();
  for (const [path, file] of paths) {
    const contentType = contentTypes.get(extname(path));
    if (contentType === undefined) continue;
    const identity = readFileSync(file);
    const coded = new Map<PageCoding, Uint8Array>();
    for (const [suffix, coding] of codingOfSuffix) {
      const form = paths.get(`${path}${suffix}`);
      if (form !== undefined) coded.set(coding, readFileSync(form));
    }
    const hash = createHash("sha256").update(identity).digest("base64url");
    files.set(path, { contentType, hash, isImmutable: hashedName.test(path), identity, coded });
  }
  return files;
}

/**
 * Each regular file below the folder, by its path with slashes. Empty if the folder does not exist. Links are not
 * followed.
 */
function listFiles(folder: string): ReadonlyMap<string, string> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return new Map();
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(folder, file).split(sep).join("/"), file]));
}
