// SPDX-License-Identifier: Apache-2.0
import type { ByteWriter } from "../rows/byte-writer.ts";

/** Writes a part of a batch from collected values, after every text has its id: `idOf[number]`. */
export type WriteStep = (writer: ByteWriter, idOf: Uint32Array) => void;

/** Converts numbers of texts to ids of the table. */
export function toIds(numbers: ArrayLike<number>, idOf: Uint32Array): Uint32Array {
  const ids = new Uint32Array(numbers.length);
  for (let at = 0; at < ids.length; at += 1) ids[at] = idOf[numbers[at] ?? 0] ?? 0;
  return ids;
}
