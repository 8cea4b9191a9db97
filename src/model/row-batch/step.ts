// SPDX-License-Identifier: Apache-2.0
import type { ByteWriter } from "../byte-writer.ts";

/** Writes a part of a batch whose values are already collected, once every text has its id: `idOf[number]`. */
export type Step = (writer: ByteWriter, idOf: Uint32Array) => void;

/** Numbers of texts as ids of the table. */
export function toIds(numbers: readonly number[], idOf: Uint32Array): Uint32Array {
  return Uint32Array.from(numbers, (number) => idOf[number] ?? 0);
}
