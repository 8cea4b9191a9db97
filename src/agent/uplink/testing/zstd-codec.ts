// SPDX-License-Identifier: Apache-2.0
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Codec } from "../../../model/rows/codec.ts";

/** Compression in this thread and at once, so that it is the same on every run. */
export const zstd: Codec = {
  compress: (bytes) => Promise.resolve(zstdCompressSync(bytes)),
  decompress: (bytes, maxBytes) => Promise.resolve(zstdDecompressSync(bytes, { maxOutputLength: maxBytes })),
};
