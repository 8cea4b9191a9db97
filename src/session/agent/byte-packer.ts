// SPDX-License-Identifier: Apache-2.0

/**
 * Makes bytes small for as long as nobody reads them, within this process. Neither call keeps its argument. They do not wait: a record is looked
 * for and read in one step.
 */
export interface BytePacker {
  /** Smaller, as a rule, and no part of a larger buffer. */
  pack(bytes: Uint8Array): Uint8Array;
  /** The `byteCount` bytes that were packed. */
  unpack(packed: Uint8Array, byteCount: number): Uint8Array;
}
