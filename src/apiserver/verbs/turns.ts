// SPDX-License-Identifier: Apache-2.0

/** Lets writes that draw from something shared (free addresses, free ports) go one after the other: the next one sees what the last one took. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when all that came before it under the same name have ended, however they ended. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(name, promise);
    await before;
    try {
      return await work();
    } finally {
      resolve();
      if (this.#last.get(name) === promise) this.#last.delete(name);
    }
  }
}
