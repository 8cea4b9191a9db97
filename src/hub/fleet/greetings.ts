// SPDX-License-Identifier: Apache-2.0

/** Streams that have not been accepted yet, at the most; beyond, new ones are turned away at once. Ten seconds of a thousand agents at five attempts a second. */
const maxCount = 4_096;

/** The same of one address: a thousand agents may stand behind one, but no address keeps the others out. */
const maxCountOfAddress = 1_024;

/** Counts streams that have proven nothing yet, so that nobody who cannot prove anything fills the hub with them (RP47). */
export class Greetings {
  #count = 0;
  readonly #ofAddress = new Map<string, number>();

  /** Counts a stream in; what it returns counts it out, once. Undefined where there is no room. `from` is `address:port`. */
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
