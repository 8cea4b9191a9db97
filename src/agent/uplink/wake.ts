// SPDX-License-Identifier: Apache-2.0

/** Lets one loop sleep until there may be something to do. A call while it is awake is remembered, so none is missed. */
export class Wake {
  #waiting = Promise.withResolvers<void>();

  wake(): void {
    this.#waiting.resolve();
  }

  /** Resolves at the first `wake` since the last time it resolved. One waiter at a time. */
  async wait(): Promise<void> {
    await this.#waiting.promise;
    this.#waiting = Promise.withResolvers();
  }
}
