// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** Most refused objects that are counted; beyond it the count stays. */
const maxKeyCount = 10_000;

/** Objects of one kind that could not become rows. Each counts until it becomes one or is deleted (L14). */
export class Refusals {
  readonly #sentences = new Map<string, string>();
  readonly #onChange: (refusedCount: number, newestSentence: string) => void;

  constructor(onChange: (refusedCount: number, newestSentence: string) => void) {
    this.#onChange = onChange;
  }

  /**
   * Runs `makeRow` for the object with that key. Records a FlotillaError as a refusal and returns false; rethrows other
   * errors, which are bugs.
   */
  guard(key: string, makeRow: () => void): boolean {
    try {
      makeRow();
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      this.#note(key, reason.message);
      return false;
    }
    this.forget(key);
    return true;
  }

  /** An object that could not be read. It has no key to forget, so it counts until the next list. */
  noteUnread(sentence: string): void {
    this.#note(`unread ${this.#sentences.size}`, sentence);
  }

  forget(key: string): void {
    if (this.#sentences.size > 0 && this.#sentences.delete(key)) this.#notify();
  }

  clear(): void {
    if (this.#sentences.size === 0) return;
    this.#sentences.clear();
    this.#notify();
  }

  #note(key: string, sentence: string): void {
    this.#sentences.delete(key); // so that the newest stands last
    if (this.#sentences.size < maxKeyCount) this.#sentences.set(key, sentence);
    this.#notify();
  }

  #notify(): void {
    this.#onChange(this.#sentences.size, [...this.#sentences.values()].at(-1) ?? "");
  }
}
