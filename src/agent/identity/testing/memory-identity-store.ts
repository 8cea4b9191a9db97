// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../../base/error.ts";
import type { AgentIdentityRecord, IdentityStore } from "../identity-record.ts";

/** What outlives the processes of a test: the record, and how often it was written. */
export interface KeptIdentity {
  record: AgentIdentityRecord | undefined;
  writeCount: number;
}

/**
 * One process's way to what is kept; it writes over what it saw and nothing else, as a Secret's resourceVersion does.
 */
export class MemoryIdentityStore implements IdentityStore {
  readonly #kept: KeptIdentity;
  #seenCount = 0;

  constructor(kept: KeptIdentity) {
    this.#kept = kept;
  }

  load(): Promise<AgentIdentityRecord | undefined> {
    this.#seenCount = this.#kept.writeCount;
    return Promise.resolve(this.#kept.record);
  }

  save(record: AgentIdentityRecord): Promise<void> {
    if (this.#seenCount !== this.#kept.writeCount)
      return Promise.reject(new FlotillaError("CONFLICT", "changed by another process"));
    this.#kept.record = record;
    this.#kept.writeCount += 1;
    this.#seenCount = this.#kept.writeCount;
    return Promise.resolve();
  }
}
