// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";

/** A list: by whom, which rows, at which version. */
export interface ListIdentity {
  readonly subject: Subject;
  /** The text of the query. */
  readonly text: string;
  /** The resourceVersion of its first page. */
  readonly version: string;
}

interface HeldKeys {
  readonly keys: Set<string>;
  /** False until the last page was read. */
  isWhole: boolean;
}

/** The most lists that are remembered: those of the last seconds, between the list and the watch of a client. */
const maxListCount = 64;

/** The most keys of one list. A longer list is not remembered: it is a program's, and not one that a person reads. */
const maxKeyCount = 1_000;

/**
 * The keys that lists by labels or fields answered lately. A watch that follows such a list then knows which rows the
 * client has, and reports no deletion of others. A list that is no longer remembered costs superfluous deletions,
 * which clients ignore.
 */
export class ListedKeys {
  readonly #lists = new Map<string, HeldKeys>();

  /** Adds a page of a list. */
  add(
    list: ListIdentity,
    keys: readonly string[],
    page: { readonly isFirst: boolean; readonly isLast: boolean },
  ): void {
    const id = idOf(list);
    const held = page.isFirst ? { keys: new Set<string>(), isWhole: false } : this.#lists.get(id);
    this.#lists.delete(id);
    if (held === undefined || held.keys.size + keys.length > maxKeyCount) return;
    for (const key of keys) held.keys.add(key);
    held.isWhole = page.isLast;
    this.#lists.set(id, held);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > maxListCount && oldest !== undefined) this.#lists.delete(oldest);
  }

  /** All keys of the list; undefined if it is not remembered, or was not read to its end. */
  get(list: ListIdentity): ReadonlySet<string> | undefined {
    const held = this.#lists.get(idOf(list));
    return held?.isWhole === true ? held.keys : undefined;
  }
}

function idOf({ subject: { user, groups }, text, version }: ListIdentity): string {
  return JSON.stringify([user, groups, text, version]);
}
