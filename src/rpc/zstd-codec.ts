// SPDX-License-Identifier: Apache-2.0
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { FlotillaError } from "../base/error.ts";
import type { Codec } from "../model/codec.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Level 3, zstd's own default: the next levels take twice the time for a tenth of the size on row batches. */
const level = 3;

/** zstd on Node's thread pool, so that neither call holds the loop. */
export const zstdCodec: Codec = {
  async compress(bytes) {
    return await compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } });
  },

  async decompress(bytes, maxBytes) {
    try {
      return await decompress(bytes, { maxOutputLength: maxBytes });
    } catch (reason) {
      if (reason instanceof Error && "code" in reason && reason.code === "ERR_BUFFER_TOO_LARGE") {
        throw new FlotillaError("TOO_LARGE", `compressed bytes unpack to more than ${maxBytes}`, { cause: reason });
      }
      throw new FlotillaError("MALFORMED", "bytes that should be zstd-compressed are not", { cause: reason });
    }
  },
};
