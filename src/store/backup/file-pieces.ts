// SPDX-License-Identifier: Apache-2.0
// Processes whole files in pieces: a store may be larger than memory, and a signal can stop the work between two
// pieces.
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { throwIfAborted } from "../../base/abort.ts";

/** Cancellation and progress of work on files. */
export interface FileWork {
  /** Stops the work between two pieces; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called when each step begins, and with the progress in percent where it is known. */
  readonly onProgress?: ((step: string, percent?: number) => void) | undefined;
}

/** Bytes per read: a piece takes a few milliseconds. */
const pieceBytes = 1024 * 1024;

/** The size of a file and its SHA-256 in hexadecimal. */
export async function hashFile(
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  await using file = await open(path, "r");
  for await (const piece of readPieces(file, signal)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Copies a file and syncs it. Only the owner can read the copy, whatever the mode of the original. */
export async function copyPrivately(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  await using source = await open(from, "r");
  await using target = await open(to, "w", 0o600);
  await target.chmod(0o600);
  for await (const piece of readPieces(source, signal)) await target.writeFile(piece);
  await target.sync();
}

async function* readPieces(file: FileHandle, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
  const piece = new Uint8Array(pieceBytes);
  for (;;) {
    throwIfAborted(signal);
    const { bytesRead } = await file.read(piece);
    if (bytesRead === 0) return;
    yield piece.subarray(0, bytesRead);
  }
}
