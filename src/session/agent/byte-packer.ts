// SPDX-License-Identifier: Apache-2.0

/**
 * Compresses bytes within this process while they are not read. Neither call keeps its argument. Both are synchronous:
 * a record is found and read in one step.
 */
export interface BytePacker {
  /** Usually smaller. Not part of a larger buffer. */
  pack(bytes: Uint8Array): Uint8Array;
  /** The original `byteCount` bytes. */
  unpack(packed: Uint8Array, byteCount: number): Uint8Array;
}
