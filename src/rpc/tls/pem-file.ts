// SPDX-License-Identifier: Apache-2.0
import { chmod, open, readFile, rename, rm, stat } from "node:fs/promises";
import { certificateInvalid } from "./server-identity.ts";

/** 1 MB: a chain of certificates is a few kB; whatever is larger is not one and is not read into memory. */
const largestPemBytes = 1_048_576;

/** The text of a PEM file. Throws CERTIFICATE_INVALID naming the file and what is wrong with it. */
export async function loadPemFile(file: string): Promise<string> {
  const text = await loadPemFileIfThere(file);
  if (text === undefined) throw certificateInvalid(`${file} does not exist`);
  return text;
}

/** Like `loadPemFile`, but undefined where there is no such file. */
export async function loadPemFileIfThere(file: string): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    if (size > largestPemBytes) throw certificateInvalid(`${file} is too large for a certificate or key file`);
    return await readFile(file, "utf8");
  } catch (reason) {
    const code = systemCodeOf(reason);
    if (code === "ENOENT") return undefined;
    if (code === undefined) throw reason;
    throw certificateInvalid(`${file} cannot be read (${code})`, reason);
  }
}

/**
 * Puts the whole text in place, or nothing: it is written beside the file, synced, then renamed. Nobody but the owner
 * can read it at any moment when `mode` is 0o600.
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

/** Takes from everybody but the owner the right to read the file; true if somebody had it. */
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
