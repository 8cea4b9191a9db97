// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort } from "../../../src/base/abort.ts";

/** Chunks unread beyond which a server ends a watch, as kube-apiserver does to watchers that do not keep up. */
const unreadLimit = 1_000;

type End = { readonly kind: "end" } | { readonly kind: "error"; readonly error: Error };

/** The body of an answer that goes on: chunks are pushed at one end and read at the other, in order. */
export class SimBody implements AsyncIterable<Uint8Array> {
  readonly #onClosed: () => void;
  #unlisten: () => void = () => undefined;
  #chunks: Uint8Array[] = [];
  #end: End | undefined;
  #isClosed = false;
  #wake: (() => void) | undefined;

  /** `onClosed` is called once, when either side is done with it. */
  constructor(signal: AbortSignal, onClosed: () => void) {
    this.#onClosed = onClosed;
    this.#unlisten = onAbort(signal, () => {
      this.#chunks = [];
      this.finish({ kind: "error", error: abortReason(signal) });
    });
  }

  get isSlow(): boolean {
    return this.#chunks.length > unreadLimit;
  }

  get isOpen(): boolean {
    return this.#end === undefined && !this.#isClosed;
  }

  push(chunk: Uint8Array): void {
    if (!this.isOpen) return;
    this.#chunks.push(chunk);
    this.#rouse();
  }

  /** What was pushed is still read, then the end; an error comes at once, and what was not read is lost. */
  finish(end: End): void {
    if (!this.isOpen) return;
    if (end.kind === "error") this.#chunks = [];
    this.#end = end;
    this.#unlisten();
    this.#onClosed();
    this.#rouse();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          yield chunk;
          continue;
        }
        if (this.#end?.kind === "end") return;
        if (this.#end?.kind === "error") throw this.#end.error;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      if (this.isOpen) this.#onClosed();
      this.#isClosed = true;
      this.#unlisten();
    }
  }

  #rouse(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
