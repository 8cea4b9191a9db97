// SPDX-License-Identifier: Apache-2.0

/**
 * Runs work of one key one after another, in order of the calls, and that of different keys side by side. Keeps nothing
 * for a key at rest.
 */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whether work of this key runs or waits. */
  isBusy(key: string): boolean {
    return this.#tails.has(key);
  }

  /** Runs `work` when everything asked for earlier under this key has ended, well or badly. Settles as `work` does. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => undefined,
      // The caller has the failure; the next in line waits for the end only.
      () => undefined,
    );
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return result;
  }
}
