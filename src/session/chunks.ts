// SPDX-License-Identifier: Apache-2.0
// Messages over the limit of one message are sent in parts (SE19).
import { FlotillaError } from "../base/error.ts";

/** One part of a message. */
export interface ChunkPart {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** The parts of a message, each of at most `maxPartBytes`. They share its memory. */
export function splitIntoChunks(message: Uint8Array, maxPartBytes: number): readonly ChunkPart[] {
  const parts: ChunkPart[] = [];
  for (let at = 0; at < message.length; at += maxPartBytes) {
    const bytes = message.subarray(at, at + maxPartBytes);
    parts.push({ bytes, isLast: at + maxPartBytes >= message.length });
  }
  return parts;
}

/** Joins the parts of one message at a time, up to a limit. */
export class ChunkJoiner {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #byteCount = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether a message has begun and not ended. No other message may come in between (SE19). */
  get isOpen(): boolean {
    return this.#parts.length > 0;
  }

  /**
   * Returns the whole message with its last part, undefined before. Throws TOO_LARGE above the limit, MALFORMED for an
   * empty part.
   */
  add({ bytes, isLast }: ChunkPart): Uint8Array | undefined {
    if (bytes.length === 0) throw new FlotillaError("MALFORMED", "received a chunk without bytes");
    this.#byteCount += bytes.length;
    if (this.#byteCount > this.#maxBytes) {
      throw new FlotillaError("TOO_LARGE", `a message in chunks has more than ${this.#maxBytes} bytes`);
    }
    this.#parts.push(bytes);
    if (!isLast) return undefined;
    const joined = new Uint8Array(this.#byteCount);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#byteCount = 0;
    return joined;
  }
}
