// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import type { Caller } from "./call-context.ts";

/** 256: a person with twenty tabs and a dozen scripts is far below; each stream costs the hub a buffer and a place in every change. */
export const defaultMaxStreamsPerCaller = 256;

/**
 * Bounds the streams that are open at a time under one token: watches and `/health` alike (RP47). A public method has no token; whoever serves it has bounds of
 * its own.
 */
export class StreamLimit {
  readonly #maxCount: number;
  readonly #openCounts = new Map<string, number>();

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  /** Counts a stream in; what it returns counts it out, once. Throws OVERLOADED where the caller has as many as it may. */
  enter(caller: Pick<Caller, "tokenId"> | undefined): () => void {
    if (caller === undefined || caller.tokenId === "") return () => undefined;
    const { tokenId } = caller;
    const openCount = this.#openCounts.get(tokenId) ?? 0;
    if (openCount >= this.#maxCount)
      throw new FlotillaError(
        "OVERLOADED",
        `this token has ${openCount} streams open, the most it may; close some, or raise --max-streams-per-caller of the hub`,
      );
    this.#openCounts.set(tokenId, openCount + 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#leave(tokenId);
      isOpen = false;
    };
  }

  #leave(tokenId: string): void {
    const left = (this.#openCounts.get(tokenId) ?? 0) - 1;
    if (left > 0) this.#openCounts.set(tokenId, left);
    else this.#openCounts.delete(tokenId);
  }
}
