// SPDX-License-Identifier: Apache-2.0
import { KubeError } from "../kube-error.ts";

const newline = 0x0a;

/** One line without its terminator, or the length of a line that was too long to keep. */
export type Line =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  | { readonly kind: "tooLong"; readonly byteCount: number };

/** The bytes of an incomplete line. At most `limitBytes` are kept, and none of a longer line (KU15). */
class PartialLine {
  readonly #limitBytes: number;
  #chunks: Uint8Array[] = [];
  #byteCount = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  add(bytes: Uint8Array): void {
    this.#byteCount += bytes.length;
    if (this.#byteCount > this.#limitBytes) this.#chunks = [];
    else if (bytes.length > 0) this.#chunks.push(bytes);
  }

  take(): Line {
    const [chunks, byteCount] = [this.#chunks, this.#byteCount];
    this.#chunks = [];
    this.#byteCount = 0;
    if (byteCount > this.#limitBytes) return { kind: "tooLong", byteCount };
    const [only] = chunks;
    return { kind: "line", bytes: chunks.length === 1 && only !== undefined ? only : joinBytes(chunks, byteCount) };
  }
}

/** Concatenates the chunks. */
export function joinBytes(chunks: readonly Uint8Array[], byteCount: number): Uint8Array {
  const joined = new Uint8Array(byteCount);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

/**
 * Yields the lines of a body as they complete, those of one chunk together; empty lines are omitted. Holds at most
 * `limitBytes` of an incomplete line and the current chunk: of a longer line only the length is yielded. Throws `tcp`
 * if the body ends within a line.
 */
export async function* splitLines(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): AsyncGenerator<readonly Line[], void> {
  const partial = new PartialLine(limitBytes);
  for await (const chunk of body) {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      partial.add(chunk.subarray(from, end));
      from = end + 1;
      if (partial.byteCount > 0) lines.push(partial.take());
    }
    if (from < chunk.length) partial.add(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (partial.byteCount > 0) throw new KubeError("tcp", "the response ended within an event");
}
