// SPDX-License-Identifier: Apache-2.0
import type { LivePage } from "./live-page.ts";

/** Bounds of the pages that no open reader has. */
export interface SentPagesOptions {
  readonly maxCount?: number;
  readonly maxRows?: number;
  /** How long a page is kept after its last reader left, or got a newer one. */
  readonly keptMs?: number;
}

interface SentPage {
  readonly page: LivePage;
  /** Open readers that have it. */
  holderCount: number;
  /** When it is dropped if no reader holds it. */
  dropAtMs: number;
}

/** A page without a holder takes some 250 bytes a row: 25 MB in all. */
const [defaultMaxCount, defaultMaxRows] = [4_000, 100_000];
const defaultKeptMs = 60_000;

/**
 * The pages that readers have, by position, so that they can resume. The newest page of an open reader is always kept;
 * earlier ones, and those of readers that left, are kept for a time, within bounds, the last ones longest.
 */
export class SentPages {
  readonly #maxCount: number;
  readonly #maxRows: number;
  readonly #keptMs: number;
  readonly #held = new Map<string, SentPage>();
  /** Those without a holder, in the order in which they lost it. */
  readonly #left = new Map<string, SentPage>();
  #leftRows = 0;

  constructor({ maxCount = defaultMaxCount, maxRows = defaultMaxRows, keptMs = defaultKeptMs }: SentPagesOptions = {}) {
    this.#maxCount = maxCount;
    this.#maxRows = maxRows;
    this.#keptMs = keptMs;
  }

  /** The pages that are kept. */
  get count(): number {
    return this.#held.size + this.#left.size;
  }

  /** A reader got the page. Its call of `leave` follows. */
  hold(position: string, page: LivePage): void {
    const sent = this.#held.get(position) ?? this.#takeLeft(position) ?? { page, holderCount: 0, dropAtMs: 0 };
    sent.holderCount += 1;
    this.#held.set(position, sent);
  }

  /** Drops a page that no open reader has. */
  drop(position: string): void {
    this.#takeLeft(position);
  }

  /** A reader that has the page got a newer one, or left. It may come back with this position. */
  leave(position: string, nowMs: number): void {
    const sent = this.#held.get(position);
    if (sent === undefined) return;
    sent.holderCount -= 1;
    if (sent.holderCount > 0) return;
    this.#held.delete(position);
    sent.dropAtMs = nowMs + this.#keptMs;
    this.#left.set(position, sent);
    this.#leftRows += sent.page.length;
    this.#trim(nowMs);
  }

  /** Undefined for an unknown position, and one that is too old. */
  find(position: string, nowMs: number): LivePage | undefined {
    this.#trim(nowMs);
    return (this.#held.get(position) ?? this.#left.get(position))?.page;
  }

  #trim(nowMs: number): void {
    for (const [position, { dropAtMs }] of this.#left) {
      const isOver = this.#left.size > this.#maxCount || this.#leftRows > this.#maxRows;
      if (!isOver && dropAtMs > nowMs) return;
      this.#takeLeft(position);
    }
  }

  #takeLeft(position: string): SentPage | undefined {
    const sent = this.#left.get(position);
    if (sent === undefined) return undefined;
    this.#left.delete(position);
    this.#leftRows -= sent.page.length;
    return sent;
  }
}
