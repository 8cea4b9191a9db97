// SPDX-License-Identifier: Apache-2.0
import { statusRank } from "../../model/status.ts";
import type { KeyPlace } from "./row-segment.ts";

/** Unhealthy and degraded count as trouble. Worse statuses have lower ranks (PG24). */
const lastTroubleRank = statusRank("degraded");

/**
 * The limit on rows of one kind with a stored time, about 100 bytes each. Above it, the time of a further row is
 * unknown.
 */
const maxCount = 10_000;

interface TroubleTime {
  readonly rank: number;
  /** Undefined until the receive time of the row's flush is set. */
  sinceMs: number | undefined;
}

/** Whether a status of this rank is trouble. */
export function isTroubleRank(rank: number): boolean {
  return rank <= lastTroubleRank;
}

/**
 * The times since when rows of one kind are in trouble: when the hub received the first row with the object's current
 * status (HE18, L20). A time is kept while the status stays the same, even if other fields change.
 */
export class TroubleTimes {
  readonly #times = new Map<string, TroubleTime>();
  readonly #pending: TroubleTime[] = [];

  /** An independent copy. */
  fork(): TroubleTimes {
    const forked = new TroubleTimes();
    for (const [key, time] of this.#times) forked.#times.set(key, { ...time });
    return forked;
  }

  /** Records a new row. `isSameObject`: it replaces an older row of the same object. */
  note(place: KeyPlace, rank: number, isSameObject: boolean): void {
    const key = keyText(place);
    const known = this.#times.get(key);
    if (!isTroubleRank(rank)) {
      if (known !== undefined) this.#times.delete(key);
      return;
    }
    if (isSameObject && known?.rank === rank) return;
    if (known === undefined && this.#times.size >= maxCount) return;
    const time: TroubleTime = { rank, sinceMs: undefined };
    this.#times.set(key, time);
    this.#pending.push(time);
  }

  /** Removes the time of a deleted row. */
  remove(place: KeyPlace): void {
    this.#times.delete(keyText(place));
  }

  /** Sets the receive time of all rows noted since the last call. */
  settle(receivedAtMs: number): void {
    for (const time of this.#pending) time.sinceMs = receivedAtMs;
    this.#pending.length = 0;
  }

  /** By the hub's wall clock; undefined if unknown. */
  get({ namespace, name }: { readonly namespace: string; readonly name: string }): number | undefined {
    return this.#times.get(`${namespace}/${name}`)?.sinceMs;
  }

  /** The earliest time; undefined if none is known. */
  get oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const { sinceMs } of this.#times.values())
      if (sinceMs !== undefined && (oldest === undefined || sinceMs < oldest)) oldest = sinceMs;
    return oldest;
  }
}

const decoder = new TextDecoder();

/** Does not use the table's text cache: a batch that is held for long caches no texts. */
function decode(strings: KeyPlace["strings"], id: number): string {
  return decoder.decode(strings.bytesOf(id));
}

function keyText({ strings, keys, at }: KeyPlace): string {
  return `${decode(strings, keys.namespaceIds[at] ?? 0)}/${decode(strings, keys.nameIds[at] ?? 0)}`;
}
