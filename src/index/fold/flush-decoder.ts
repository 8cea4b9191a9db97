// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { maxBatchBytes } from "../../model/row-batch/format.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import { decodePart, type EncodedPart } from "./decode-part.ts";
import type { FoldPart } from "./fold-part.ts";

/**
 * The limit on the uncompressed bytes of all batches of one flush: four of the largest. It bounds decompression bombs.
 */
const maxFlushBytes = 4 * maxBatchBytes;

/**
 * The limit on the expanded bytes of all rows of one flush, each row with all its texts (CO67). It is twice what
 * 100,000 role bindings, which are never split (SE16), take at 1 KiB each. It bounds the memory of readers of the rows
 * and of the change feed.
 */
const maxExpandedBytes = 256 * 1024 * 1024;

/** Decoding this many bytes of a batch, with the check for changes, takes as long as folding one row. */
export const bytesPerFoldedRow = 256;

/** Decodes the parts of one flush, one after another, within the bounds of a flush (SE4). */
export class FlushDecoder {
  readonly #hasher: Hasher;
  #leftBytes = maxFlushBytes;
  #expandedBytes = 0;

  constructor(hasher: Hasher) {
    this.#hasher = hasher;
  }

  /** The most bytes that the next part may have when it is decompressed. */
  get partLimitBytes(): number {
    return Math.min(maxBatchBytes, this.#leftBytes);
  }

  /** Throws MALFORMED, TOO_LARGE or UNSUPPORTED_VERSION: the whole flush is then refused. */
  decode(encoded: EncodedPart): FoldPart {
    if (encoded.bytes.length > this.partLimitBytes)
      throw new FlotillaError("TOO_LARGE", `the batches of a flush have more than ${maxFlushBytes} bytes`);
    this.#leftBytes -= encoded.bytes.length;
    const part = decodePart(encoded, this.#hasher);
    this.#expandedBytes += part.batch.parts.expandedBytes;
    if (this.#expandedBytes > maxExpandedBytes)
      throw new FlotillaError("TOO_LARGE", `the rows of a flush have more than ${maxExpandedBytes} bytes`);
    return part;
  }
}
