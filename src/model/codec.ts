// SPDX-License-Identifier: Apache-2.0

/** Compression around row batches (CO33); zstd in production, implemented outside this folder. Neither call keeps its argument. */
export interface Codec {
  compress(bytes: Uint8Array): Promise<Uint8Array>;
  /** Fails with MALFORMED on bytes that are not its own, with TOO_LARGE as soon as the result would exceed `maxBytes`; never allocates more than that. */
  decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
}
