// SPDX-License-Identifier: Apache-2.0
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** A file's text and permission bits, or a printable reason why it cannot be read. */
export type FileText =
  | { readonly kind: "text"; readonly text: string; readonly mode: number }
  /** `isMissing`: the file does not exist. */
  | { readonly kind: "unreadable"; readonly reason: string; readonly isMissing?: boolean };

/** Reads a small settings file or secret. Does not throw for file system errors. */
export type ReadFile = (path: string) => FileText;

/** 64 KiB: ten times a file that sets every option. The worst YAML of that size takes one second to parse. */
const maxFileBytes = 65_536;

/** ReadFile over the file system. Synchronous, because nothing else can run before the settings are known. */
export const readFileNow: ReadFile = (path) => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) return { kind: "unreadable", reason: `${path} is a folder` };
    return readOpen(descriptor, path, stat.mode);
  } catch (reason) {
    const code = codeOf(reason);
    return { kind: "unreadable", reason: sentenceOf(path, code), isMissing: code === "ENOENT" || code === "ENOTDIR" };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/** Reads up to the limit and ignores the file's size: a pipe or /dev/fd has none. */
function readOpen(descriptor: number, path: string, mode: number): FileText {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for (;;) {
    const chunk = Buffer.alloc(8_192);
    const readBytes = readSync(descriptor, chunk);
    if (readBytes === 0) break;
    sizeBytes += readBytes;
    if (sizeBytes > maxFileBytes) return { kind: "unreadable", reason: `${path} is larger than 64 KiB` };
    chunks.push(chunk.subarray(0, readBytes));
  }
  return { kind: "text", text: Buffer.concat(chunks).toString("utf8"), mode };
}

const sentences: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read by this user",
  EISDIR: "is a folder",
  ENOTDIR: "has a parent that is not a folder",
};

function codeOf(reason: unknown): string {
  return reason instanceof Error && "code" in reason ? String(reason.code) : "unknown reason";
}

function sentenceOf(path: string, code: string): string {
  return `${path} ${sentences[code] ?? `cannot be opened (${code})`}`;
}
