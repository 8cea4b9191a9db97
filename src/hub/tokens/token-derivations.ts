// SPDX-License-Identifier: Apache-2.0
import type { TokenRecord } from "./token-record.ts";

/**
 * Maximum tokens derived from one token; the next removes the oldest. More than any user's browsers, and it bounds a
 * loop of logins.
 */
const maxChildCount = 256;

/** Rows of ended tokens that one login removes: keeps up with their number while the commit stays small. */
const maxSweptCount = 100;

/** Indexes tokens by the token they were derived from. Holds records only; the registry decides validity. */
export class TokenDerivations {
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

  /**
   * Ids whose rows can be removed before `parentId` gets another child: ended derived tokens, and its oldest above the
   * limit.
   */
  findSpent(parentId: string, nowMs: number, parentExists: (parentId: string) => boolean): readonly string[] {
    const removable: string[] = [];
    for (const [parent, children] of this.#byParent) {
      const isOrphaned = !parentExists(parent);
      for (const { id, expiresAtMs } of children.values()) {
        if (isOrphaned || (expiresAtMs !== undefined && expiresAtMs <= nowMs)) removable.push(id);
      }
    }
    const ended = new Set(removable);
    const left = [...(this.#byParent.get(parentId)?.values() ?? [])].filter(({ id }) => !ended.has(id));
    const tooManyCount = Math.max(0, left.length + 1 - maxChildCount);
    const oldest = left.toSorted((a, b) => a.createdAtMs - b.createdAtMs).slice(0, tooManyCount);
    return [...oldest.map(({ id }) => id), ...removable.slice(0, maxSweptCount)];
  }
}
