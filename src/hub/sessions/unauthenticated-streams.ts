// SPDX-License-Identifier: Apache-2.0

/**
 * The limit on streams that are not accepted yet; further streams are refused at once. It allows ten seconds of a
 * thousand agents at five attempts a second.
 */
const maxCount = 4_096;

/** The same limit per address. A thousand agents may share one address, but no address can use up the whole limit. */
const maxCountOfAddress = 1_024;

/** Counts unauthenticated streams, so that they cannot exhaust the hub (RP47). */
export class UnauthenticatedStreams {
  #count = 0;
  readonly #ofAddress = new Map<string, number>();

  /**
   * Counts a stream in. The returned function counts it out, once. Returns undefined at the limit. `from` is
   * `address:port`.
   */
  enter(from: string): (() => void) | undefined {
    const address = from.slice(0, Math.max(0, from.lastIndexOf(":"))) || from;
    const ofAddress = this.#ofAddress.get(address) ?? 0;
    if (this.#count >= maxCount || ofAddress >= maxCountOfAddress) return undefined;
    this.#count += 1;
    this.#ofAddress.set(address, ofAddress + 1);
    let isIn = true;
    return () => {
      if (isIn) this.#leave(address);
      isIn = false;
    };
  }

  #leave(address: string): void {
    this.#count -= 1;
    const left = (this.#ofAddress.get(address) ?? 0) - 1;
    if (left > 0) this.#ofAddress.set(address, left);
    else this.#ofAddress.delete(address);
  }
}
