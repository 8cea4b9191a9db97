// SPDX-License-Identifier: Apache-2.0
import type { TokenRecord } from "./token-record.ts";

/** Tokens derived from one; one more ends the oldest. Nobody has that many browsers, and a loop of logins stays small. */
const maxChildCount = 256;

/** Left-over rows that one login takes away with it: enough to catch up soon, and a small commit. */
const maxSweptCount = 100;

/** Which tokens were derived from which. Holds records only; who counts is the registry's to say. */
export class TokenFamilies {
  readonly #byParent = new Map<string, Map<string, TokenRecord>>();

  add(record: TokenRecord): void {
    if (record.parentId === undefined) return;
    const children = this.#byParent.get(record.parentId) ?? new Map<string, TokenRecord>();
    this.#byParent.set(record.parentId, children.set(record.id, record));
  }

  remove({ id, parentId }: TokenRecord): void {
    if (parentId === undefined) return;
    const children = this.#byParent.get(parentId);
    children?.delete(id);
    if (children?.size === 0) this.#byParent.delete(parentId);
  }

  /** Ids of the tokens derived from this one. */
  childrenOf(parentId: string): readonly string[] {
    return [...(this.#byParent.get(parentId)?.keys() ?? [])];
  }

  /** Ids whose rows may go before `parentId` gets one child more: derived tokens that have ended, and its oldest where it has too many. */
  findSpent(parentId: string, nowMs: number, isThere: (parentId: string) => boolean): readonly string[] {
    const spent: string[] = [];
    for (const [parent, children] of this.#byParent) {
      const isOrphaned = !isThere(parent);
      for (const { id, expiresAtMs } of children.values()) {
        if (isOrphaned || (expiresAtMs !== undefined && expiresAtMs <= nowMs)) spent.push(id);
      }
    }
    const ended = new Set(spent);
    const left = [...(this.#byParent.get(parentId)?.values() ?? [])].filter(({ id }) => !ended.has(id));
    const tooManyCount = Math.max(0, left.length + 1 - maxChildCount);
    const oldest = left.toSorted((a, b) => a.createdAtMs - b.createdAtMs).slice(0, tooManyCount);
    return [...oldest.map(({ id }) => id), ...spent.slice(0, maxSweptCount)];
  }
}
