// SPDX-License-Identifier: Apache-2.0
import { type FileHandle, open } from "node:fs/promises";
import { FlotillaError } from "../../base/error.ts";
import type { Material } from "./cluster-access.ts";

/**
 * The whole text of a file of at most `boundBytes`. Rejects with the system's error if it cannot be read, and with
 * TOO_LARGE above the bound. At most `boundBytes` + 1 bytes are read, even of an endless device.
 */
export async function readBounded(path: string, boundBytes: number): Promise<string> {
  await using file = await open(path, "r");
  const bytes = await readUpTo(file, boundBytes + 1);
  if (bytes.length > boundBytes) {
    throw new FlotillaError("TOO_LARGE", `${path} is larger than the limit of ${boundBytes} bytes`);
  }
  return bytes.toString("utf8");
}

/** Bytes per read. Most files fit into one. */
const stepBytes = 64 * 1024;

async function readUpTo(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  while (sizeBytes < maxBytes) {
    const part = Buffer.alloc(Math.min(stepBytes, maxBytes - sizeBytes));
    const { bytesRead } = await file.read(part, 0, part.length);
    if (bytesRead === 0) break;
    parts.push(part.subarray(0, bytesRead));
    sizeBytes += bytesRead;
  }
  return Buffer.concat(parts);
}

/** The system's code of a failure, such as ENOENT; undefined if it has none. */
export function systemCodeOf(reason: unknown): string | undefined {
  return reason instanceof Error && "code" in reason && typeof reason.code === "string" ? reason.code : undefined;
}

/** 1 MiB: a bundle of every public root certificate has 220 KiB. */
export const materialBoundBytes = 1024 * 1024;

/** The text of a material. A file is read each time, so that a replaced one applies from the next connection on. */
export async function loadMaterial(material: Material): Promise<string> {
  return material.kind === "inline" ? material.text : await readBounded(material.path, materialBoundBytes);
}
