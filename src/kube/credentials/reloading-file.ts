// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import { readBounded } from "./read-bounded.ts";

/** 5 s: half of what KU6 allows, which leaves time for the read itself. */
const freshForMs = 5_000;

/**
 * The text of a file that another process replaces. `load` reads it if the last read is older than five seconds. If a
 * read fails, or finds only whitespace because the writer is not done, the last text stays; without a last text the
 * failure is thrown.
 */
export class ReloadingFile {
  readonly #path: string;
  readonly #boundBytes: number;
  readonly #clock: Clock;
  #known: { readonly text: string; readonly readMs: number } | undefined;
  /** Shared by concurrent calls. */
  #reading: { readonly text: Promise<string>; readonly readMs: number } | undefined;

  constructor(path: string, options: { readonly boundBytes: number; readonly clock: Clock }) {
    this.#path = path;
    this.#boundBytes = options.boundBytes;
    this.#clock = options.clock;
  }

  /** The trimmed text; empty only while the file has never held more. */
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

  /** Makes the next `load` read the file, however fresh the text, and not join a read that has already begun. */
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
