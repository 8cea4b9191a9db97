// SPDX-License-Identifier: Apache-2.0

const newline = 0x0a;
const brace = 0x7d;

/** A watch that has not been told of everything, and is told of nothing for so long, was ended by its server. */
const silenceLimitMs = 1000;

/** Counts the events of one watch: each is a line that ends in a brace, which the marks between chunks do not. */
export class EventCounter {
  #count = 0;
  #lastByte = 0;

  get count(): number {
    return this.#count;
  }

  take(chunk: Buffer): void {
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1))
      if ((at === 0 ? this.#lastByte : chunk[at - 1]) === brace) this.#count += 1;
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
  }
}

/**
 * Resolves when every watch has been told of `count` events, or nothing comes any more; gives when the last event came.
 */
export async function untilTold(counters: readonly EventCounter[], count: number): Promise<number> {
  const sum = (): number => counters.reduce((total, counter) => total + counter.count, 0);
  let told = sum();
  let lastMs = performance.now();
  while (told < count * counters.length && performance.now() - lastMs < silenceLimitMs) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const before = told;
    told = sum();
    if (told > before) lastMs = performance.now();
  }
  return lastMs;
}
