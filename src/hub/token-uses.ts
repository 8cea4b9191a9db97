// SPDX-License-Identifier: Apache-2.0
import { onAbort, throwIfAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import { type Key, put, remove, type Store, type Write } from "../store/store.ts";
import { tokenUses } from "../store/tables.ts";

export interface TokenUsesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether there is such a token. */
  readonly isToken: (id: string) => boolean;
}

/** How long a use waits before it is stored (CL21). A token in use is so written once a minute, whatever the number of calls. */
const storeIntervalMs = 60_000;
/** Rows in one commit. */
const batchCount = 500;

/**
 * When tokens were last used (CL21). Noting a use costs no write: uses are stored together, at most once a minute, and when the hub
 * closes. A hub that is killed loses the uses of the last minute. At most one entry for each token.
 */
export class TokenUses {
  readonly #options: TokenUsesOptions;
  readonly #usedAtMs = new Map<string, number>();
  /** Used since they were last stored. */
  readonly #unstored = new Set<string>();
  #wake: (() => void) | undefined;

  constructor(options: TokenUsesOptions) {
    this.#options = options;
  }

  /** Wall time of the last use; undefined where none is known. */
  get(id: string): number | undefined {
    return this.#usedAtMs.get(id);
  }

  note(id: string): void {
    this.#usedAtMs.set(id, this.#options.clock.wallMs());
    this.#unstored.add(id);
    this.#wake?.();
  }

  forget(id: string): void {
    this.#usedAtMs.delete(id);
    this.#unstored.delete(id);
  }

  /** The write that deletes what is stored of a token, for the commit that deletes the token. */
  removal(id: string): Write {
    return remove(tokenUses, this.#keyOf(id));
  }

  /** Reads what earlier runs stored; rows of tokens that are gone are deleted. A use of this run is newer. */
  async load(): Promise<void> {
    const { store, isToken } = this.#options;
    const orphans: Write[] = [];
    let after: Key | undefined;
    for (;;) {
      const page = await store.list(tokenUses, {
        prefix: [store.workspace],
        limit: batchCount,
        ...(after === undefined ? {} : { after }),
      });
      for (const { key, value } of page.rows) {
        const id = key[1] ?? "";
        if (!isToken(id)) orphans.push(this.removal(id));
        else if (!this.#usedAtMs.has(id)) this.#usedAtMs.set(id, value.used_at_ms);
      }
      after = page.rows.at(-1)?.key;
      if (!page.more || after === undefined) break;
    }
    for (let from = 0; from < orphans.length; from += batchCount)
      await store.commit(orphans.slice(from, from + batchCount));
  }

  /** Stores uses until the signal aborts, and what is left then in one attempt. Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#untilNoted(signal);
        await this.#options.clock.sleep(storeIntervalMs, signal);
        await this.#storeUses();
      }
    } finally {
      await this.#storeUses();
    }
  }

  /** A failure is logged, and the uses wait for the next time. */
  async #storeUses(): Promise<void> {
    const { store, log, isToken } = this.#options;
    const ids = [...this.#unstored].filter(isToken);
    this.#unstored.clear();
    try {
      for (let from = 0; from < ids.length; from += batchCount)
        await store.commit(ids.slice(from, from + batchCount).map((id) => this.#write(id)));
    } catch (reason) {
      for (const id of ids) this.#unstored.add(id);
      log.warn("the last uses of tokens were not stored", {}, reason);
    }
  }

  #write(id: string): Write {
    return put(tokenUses, this.#keyOf(id), { used_at_ms: Math.round(this.#usedAtMs.get(id) ?? 0) });
  }

  #keyOf(id: string): Key {
    return [this.#options.store.workspace, id];
  }

  async #untilNoted(signal: AbortSignal): Promise<void> {
    while (this.#unstored.size === 0 && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const unlisten = onAbort(signal, resolve);
      await promise;
      unlisten();
    }
    throwIfAborted(signal);
  }
}
