// SPDX-License-Identifier: Apache-2.0
import { parseObject, type ReadObject } from "./object-text.ts";

/** What is known of an object by asking for it. What was read stays until it is read again, whatever happens in between (L9). */
export interface ObjectReading {
  readonly isReading: boolean;
  readonly read: { readonly object: ReadObject; readonly atMs: number } | undefined;
  /** Of the newest attempt: "" unless it failed. */
  readonly failure: string;
}

export interface ObjectReaderOptions {
  /** One call to the hub; resolves with the object's JSON. */
  readonly call: (signal: AbortSignal) => Promise<string>;
  /** Aborts when a call has taken too long. */
  readonly deadline: () => AbortSignal;
  readonly failureSentence: (reason: unknown) => string;
  readonly nowMs: () => number;
}

/** Beyond the 15 s that the hub takes at most (docs/spec/tunnel.md TU4), with what the way to it may take. */
export const readLimitMs = 20_000;

/** The readings of one object, for `useSyncExternalStore`. It reads when it is told to and never by itself. */
export class ObjectReader {
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

  /** Reads, in place of a call that is under way. Never rejects: what came of it is in the reading. */
  async read(): Promise<void> {
    this.close();
    const call = new AbortController();
    this.#call = call;
    const { deadline, failureSentence, nowMs } = this.#options;
    const late = deadline();
    // As old as the question: what the answer took on its way is no time in which it was fresh.
    const atMs = nowMs();
    this.#tell({ isReading: true });
    try {
      const json = await this.#options.call(AbortSignal.any([call.signal, late]));
      if (this.#call !== call) return;
      this.#tell({ isReading: false, read: { object: parseObject(json), atMs }, failure: "" });
    } catch (reason) {
      if (this.#call !== call) return;
      const failure = late.aborted
        ? `The hub has not answered within ${readLimitMs / 1_000} s.`
        : failureSentence(reason);
      this.#tell({ isReading: false, failure });
    }
  }

  /** Ends a call that is under way; its answer, if one comes, is dropped. */
  close(): void {
    this.#call?.abort();
    this.#call = undefined;
  }

  #tell(change: Partial<ObjectReading>): void {
    this.#reading = { ...this.#reading, ...change };
    for (const listener of this.#listeners) listener();
  }
}
