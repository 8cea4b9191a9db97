// SPDX-License-Identifier: Apache-2.0
import { parseObject, type ReadObject } from "./object-text.ts";

/** The state of reading an object. The last result stays until the next successful read (L9). */
export interface ObjectReading {
  readonly isReading: boolean;
  readonly read: { readonly object: ReadObject; readonly atMs: number } | undefined;
  /** Failure of the newest attempt; "" if it did not fail. */
  readonly failure: string;
}

export interface ObjectReaderOptions {
  /** One call to the hub; resolves with the object's JSON. */
  readonly call: (signal: AbortSignal) => Promise<string>;
  /** Aborts when a call takes too long. */
  readonly deadline: () => AbortSignal;
  readonly failureSentence: (reason: unknown) => string;
  readonly nowMs: () => number;
}

/** More than the hub's limit of 15 s (docs/spec/tunnel.md TU4), plus network time. */
export const readLimitMs = 20_000;

/** Reads one object, for `useSyncExternalStore`. Reads only on request. */
export class ObjectPanelReader {
  readonly #options: ObjectReaderOptions;
  readonly #listeners = new Set<() => void>();
  #reading: ObjectReading = { isReading: false, read: undefined, failure: "" };
  #call: AbortController | undefined;

  constructor(options: ObjectReaderOptions) {
    this.#options = options;
  }

  readonly getReading = (): ObjectReading => this.#reading;

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Reads, replacing a running call. Never rejects: the result is in the reading. */
  async read(): Promise<void> {
    this.close();
    const call = new AbortController();
    this.#call = call;
    const { deadline, failureSentence, nowMs } = this.#options;
    const late = deadline();
    // The time of the request: the age must include the transit time of the answer.
    const atMs = nowMs();
    this.#update({ isReading: true });
    try {
      const json = await this.#options.call(AbortSignal.any([call.signal, late]));
      if (this.#call !== call) return;
      this.#update({ isReading: false, read: { object: parseObject(json), atMs }, failure: "" });
    } catch (reason) {
      if (this.#call !== call) return;
      const failure = late.aborted
        ? `The hub has not answered within ${readLimitMs / 1_000} s.`
        : failureSentence(reason);
      this.#update({ isReading: false, failure });
    }
  }

  /** Cancels a running call; its answer is dropped. */
  close(): void {
    this.#call?.abort();
    this.#call = undefined;
  }

  #update(change: Partial<ObjectReading>): void {
    this.#reading = { ...this.#reading, ...change };
    for (const listener of this.#listeners) listener();
  }
}
