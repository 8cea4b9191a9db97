// SPDX-License-Identifier: Apache-2.0

/** The most bytes that one live view keeps of its tables: counts of 300 tables with 2,000 values each take 1.5 MB. */
const defaultMaxViewBytes = 2 * 1024 * 1024;

/** The most bytes that all live views keep of their tables. */
const defaultMaxBytes = 128 * 1024 * 1024;

/** Bounds what live views keep of their tables. A view beyond it keeps nothing and runs its whole query again. */
export class LiveBudget {
  readonly maxViewBytes: number;
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor({ maxViewBytes = defaultMaxViewBytes, maxBytes = defaultMaxBytes } = {}) {
    this.maxViewBytes = maxViewBytes;
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Whether at most half of the bound is used. */
  get hasRoom(): boolean {
    return this.#usedBytes <= this.#maxBytes / 2;
  }

  /** Counts the new size of one view. False if a bound is exceeded: the view then has to release what it keeps. */
  resize(beforeBytes: number, afterBytes: number): boolean {
    this.#usedBytes += afterBytes - beforeBytes;
    return afterBytes <= this.maxViewBytes && this.#usedBytes <= this.#maxBytes;
  }
}
