// SPDX-License-Identifier: Apache-2.0

/** Runs work of one key one after another, in order of the calls, and that of different keys side by side. Keeps nothing for a key at rest. */
export class KeyChains {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whether work of this key runs or waits. */
  isBusy(key: string): boolean {
    return this.#tails.has(key);
  }

  /** Runs `work` when everything asked for earlier under this key has ended, well or badly. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => undefined,
      // Whoever called has the failure; the chain only waits for the end.
      () => undefined,
    );
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return result;
  }
}
