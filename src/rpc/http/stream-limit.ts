// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Caller } from "../server/call-context.ts";
import type { RpcMetrics } from "../server/rpc-metrics.ts";

/**
 * 256: far above a person with twenty tabs and a dozen scripts. Each stream costs the hub a buffer and work for every
 * change.
 */
export const defaultMaxStreamsPerCaller = 256;

/**
 * Bounds the open streams per token, of watches and `/health` alike (RP47). Streams of public methods have no token and
 * are not counted; those services have their own limits.
 */
export class StreamLimit {
  readonly #maxCount: number;
  readonly #openCounts = new Map<string, number>();

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  /**
   * Counts a stream as open; the returned function ends that, once. Throws OVERLOADED if the caller has the maximum
   * open.
   */
  enter(caller: Pick<Caller, "tokenId"> | undefined): () => void {
    if (caller === undefined || caller.tokenId === "") return () => undefined;
    const { tokenId } = caller;
    const openCount = this.#openCounts.get(tokenId) ?? 0;
    if (openCount >= this.#maxCount)
      throw new FlotillaError(
        "OVERLOADED",
        `this token has ${openCount} streams open, the maximum; close some, or raise --max-streams-per-caller of the hub`,
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

/** What all streams of an endpoint share. */
export interface StreamContext {
  /** Aborts when the hub closes. Streams end then; other responses may finish. */
  readonly closing: AbortSignal;
  readonly metrics: RpcMetrics;
  readonly limit: StreamLimit;
}

/** The error that ends a stream when the hub closes. */
export function hubCloses(): FlotillaError {
  return new FlotillaError("UNAVAILABLE", "the hub is closing; connect again");
}
