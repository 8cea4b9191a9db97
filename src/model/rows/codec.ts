// SPDX-License-Identifier: Apache-2.0

/**
 * Compression of row batches (CO33); zstd in production, implemented outside this folder. Neither call retains its
 * argument.
 */
export interface Codec {
  compress(bytes: Uint8Array): Promise<Uint8Array>;
  /**
   * Fails with MALFORMED for bytes that `compress` did not write, and with TOO_LARGE as soon as the result would exceed
   * `maxBytes`. Never allocates more than that.
   */
  decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
}
