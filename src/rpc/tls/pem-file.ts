// SPDX-License-Identifier: Apache-2.0
import { chmod, open, readFile, rename, rm, stat } from "node:fs/promises";
import { certificateInvalid } from "./server-identity.ts";

/** 1 MiB: a chain of certificates is a few kB. A larger file is not read. */
const maxPemBytes = 1_048_576;

/** Reads a PEM file. Throws CERTIFICATE_INVALID with the file name and the problem. */
export async function loadPemFile(file: string): Promise<string> {
  const text = await loadPemFileIfThere(file);
  if (text === undefined) throw certificateInvalid(`${file} does not exist`);
  return text;
}

/** Like `loadPemFile`, but undefined if the file does not exist. */
export async function loadPemFileIfThere(file: string): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    if (size > maxPemBytes) throw certificateInvalid(`${file} is too large for a certificate or key file`);
    return await readFile(file, "utf8");
  } catch (reason) {
    const code = systemCodeOf(reason);
    if (code === "ENOENT") return undefined;
    if (code === undefined) throw reason;
    throw certificateInvalid(`${file} cannot be read (${code})`, reason);
  }
}

/**
 * Replaces the file atomically: the text is written beside it, synced, then renamed. With mode 0o600 it is never
 * readable by others.
 */
export async function writePemFile(file: string, text: string, mode: 0o600 | 0o644): Promise<void> {
  const partial = `${file}.new`;
  try {
    await rm(partial, { force: true }); // left by a crash, perhaps with another mode
    const handle = await open(partial, "wx", mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (reason) {
    throw certificateInvalid(`${file} cannot be written (${systemCodeOf(reason) ?? "unknown reason"})`, reason);
  }
}

/** Sets the mode to 0600 if others have access to the file. Returns true if they had. */
export async function closeToOthers(file: string): Promise<boolean> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) === 0) return false;
    await chmod(file, 0o600);
    return true;
  } catch (reason) {
    throw certificateInvalid(`${file} is readable by others and that cannot be changed; set its mode to 0600`, reason);
  }
}

function systemCodeOf(reason: unknown): string | undefined {
  if (!(reason instanceof Error) || !("code" in reason) || !("syscall" in reason)) return undefined;
  return typeof reason.code === "string" ? reason.code : undefined;
}
