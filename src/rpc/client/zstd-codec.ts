// SPDX-License-Identifier: Apache-2.0
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import { FlotillaError } from "../../base/error.ts";
import type { Codec } from "../../model/rows/codec.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Level 3, zstd's own default: the next levels take twice the time for a tenth of the size on row batches. */
const compressOptions = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/**
 * Up to this size (uncompressed) the work is done synchronously: about 0.1 ms, half of what passing it to another
 * thread takes.
 */
const smallBytes = 16 * 1024;

/**
 * The bytes that one call of the thread pool unpacks. With Node's default of 16 KiB, passing the pieces to and fro takes
 * four times as long as unpacking them.
 */
const chunkSize = 1024 * 1024;

/**
 * zstd on Node's thread pool, so that large inputs do not block the event loop. Small ones are processed synchronously.
 */
export const zstdCodec: Codec = {
  async compress(bytes) {
    return toOwnBytes(
      bytes.length <= smallBytes ? zstdCompressSync(bytes, compressOptions) : await compress(bytes, compressOptions),
    );
  },

  async decompress(bytes, maxBytes) {
    try {
      return toOwnBytes(
        decompressSmall(bytes, maxBytes) ?? (await decompress(bytes, { maxOutputLength: maxBytes, chunkSize })),
      );
    } catch (reason) {
      if (isTooLarge(reason))
        throw new FlotillaError("TOO_LARGE", `compressed bytes unpack to more than ${maxBytes}`, { cause: reason });
      throw new FlotillaError("MALFORMED", "bytes that should be zstd-compressed are not", { cause: reason });
    }
  },
};

/** Undefined if the input or its output is larger than `smallBytes`. */
function decompressSmall(bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  if (bytes.length > smallBytes) return undefined;
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: Math.min(maxBytes, smallBytes) });
  } catch (reason) {
    if (isTooLarge(reason) && maxBytes > smallBytes) return undefined;
    throw reason;
  }
}

function isTooLarge(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "ERR_BUFFER_TOO_LARGE";
}

/**
 * Copies a view of a shared buffer. Node allocates small buffers from a shared one, which would stay in memory as long
 * as rows in it.
 */
function toOwnBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
