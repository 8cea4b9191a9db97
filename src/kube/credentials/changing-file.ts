// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import { readBounded } from "./read-bounded.ts";

/** 5 s: half of what KU6 allows, so that the read itself has time too. */
const freshForMs = 5_000;

/**
 * The text of a file that somebody else replaces. It is read when it is asked for and the last read is older than five seconds. A read that fails, or
 * finds nothing but spaces because the writer is not done, leaves the last text in place; without one it is the failure.
 */
export class ChangingFile {
  readonly #path: string;
  readonly #boundBytes: number;
  readonly #clock: Clock;
  #known: { readonly text: string; readonly readMs: number } | undefined;
  /** For whoever asks while it goes on. */
  #reading: { readonly text: Promise<string>; readonly readMs: number } | undefined;

  constructor(path: string, options: { readonly boundBytes: number; readonly clock: Clock }) {
    this.#path = path;
    this.#boundBytes = options.boundBytes;
    this.#clock = options.clock;
  }

  /** The text without spaces around it; empty only while the file never held more. */
  async load(): Promise<string> {
    const known = this.#known;
    if (known !== undefined && this.#clock.nowMs() - known.readMs < freshForMs) return known.text;
    this.#reading ??= { text: this.#read(), readMs: this.#clock.nowMs() };
    const reading = this.#reading;
    try {
      const text = await reading.text;
      if (this.#reading === reading) this.#known = { text, readMs: reading.readMs };
      return text;
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  /** The next `load` reads the file, however fresh the text is, and does not join a read that began before. */
  expire(): void {
    this.#reading = undefined;
    if (this.#known !== undefined) this.#known = { ...this.#known, readMs: Number.NEGATIVE_INFINITY };
  }

  async #read(): Promise<string> {
    const last = this.#known?.text;
    try {
      const text = (await readBounded(this.#path, this.#boundBytes)).trim();
      return text === "" ? (last ?? text) : text;
    } catch (reason) {
      if (last === undefined) throw reason;
      return last;
    }
  }
}
