// SPDX-License-Identifier: Apache-2.0

import type { Logger } from "../../base/log.ts";
import { WakeUp } from "../../base/queues/wake-up.ts";
import type { Clock } from "../../base/time/clock.ts";
import { listPages } from "../../store/follow-table.ts";
import { type Key, put, remove, type Store, type Write } from "../../store/store.ts";
import { tokenUses } from "../../store/tables.ts";

export interface TokenUsesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether a token with this id exists. */
  readonly isToken: (id: string) => boolean;
}

/** Delay before a use is stored (CL21): one write per minute and token, regardless of the number of calls. */
const storeIntervalMs = 60_000;
/** Rows in one commit. */
const batchCount = 500;

/**
 * Records when each token was last used (CL21). Recording a use writes nothing: uses are stored together, at most once
 * a minute and when the hub closes. A killed hub loses the uses of the last minute.
 */
export class TokenUses {
  readonly #options: TokenUsesOptions;
  readonly #usedAtMs = new Map<string, number>();
  /** Tokens used since the last write. */
  readonly #unstored = new Set<string>();
  readonly #wakeUp = new WakeUp();

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
    this.#wakeUp.wake();
  }

  forget(id: string): void {
    this.#usedAtMs.delete(id);
    this.#unstored.delete(id);
  }

  /** The write that deletes a token's last use, for the commit that deletes the token. */
  removal(id: string): Write {
    return remove(tokenUses, this.#keyOf(id));
  }

  /** Loads the stored uses and deletes rows of tokens that no longer exist. Uses of this run are newer and win. */
  async load(): Promise<void> {
    const { store, isToken } = this.#options;
    const orphans: Write[] = [];
    for await (const { rows } of listPages(store, tokenUses, [store.workspace])) {
      for (const { key, value } of rows) {
        const id = key[1] ?? "";
        if (!isToken(id)) orphans.push(this.removal(id));
        else if (!this.#usedAtMs.has(id)) this.#usedAtMs.set(id, value.used_at_ms);
      }
    }
    for (let from = 0; from < orphans.length; from += batchCount)
      await store.commit(orphans.slice(from, from + batchCount));
  }

  /** Stores uses until the signal aborts, then makes one last attempt. Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        while (this.#unstored.size === 0) await this.#wakeUp.wait(signal);
        await this.#options.clock.sleep(storeIntervalMs, signal);
        await this.#storeUses();
      }
    } finally {
      await this.#storeUses();
    }
  }

  /** A failure is logged; the uses are written the next time. */
  async #storeUses(): Promise<void> {
    const { store, log, isToken } = this.#options;
    const ids = [...this.#unstored].filter(isToken);
    this.#unstored.clear();
    try {
      for (let from = 0; from < ids.length; from += batchCount)
        await store.commit(ids.slice(from, from + batchCount).map((id) => this.#write(id)));
    } catch (reason) {
      for (const id of ids) this.#unstored.add(id);
      log.warn("could not store when tokens were last used", {}, reason);
    }
  }

  #write(id: string): Write {
    return put(tokenUses, this.#keyOf(id), { used_at_ms: Math.round(this.#usedAtMs.get(id) ?? 0) });
  }

  #keyOf(id: string): Key {
    return [this.#options.store.workspace, id];
  }
}
