// SPDX-License-Identifier: Apache-2.0
import { statusRank } from "../../model/status.ts";
import type { KeyPlace } from "./row-segment.ts";

/** The last status that counts as trouble: unhealthy and degraded do, what is worse has a lower number (PG24). */
const lastTroubleRank = statusRank("degraded");

/** Rows in trouble of one kind whose times are kept, about 100 bytes each. Beyond, the time of a row is not known. */
const maxCount = 10_000;

interface TroubleTime {
  readonly rank: number;
  /** Undefined until the flush that brought the row has its receive time. */
  sinceMs: number | undefined;
}

/** True where a status of that number is trouble. */
export function isTroubleRank(rank: number): boolean {
  return rank <= lastTroubleRank;
}

/**
 * Since when rows of one kind are in trouble: the hub's receive time of the first row that had the status the object has now (HE18, L20). Kept while the status
 * stays, whatever else of the row changes.
 */
export class TroubleTimes {
  readonly #times = new Map<string, TroubleTime>();
  readonly #pending: TroubleTime[] = [];

  /** A copy that changes by itself. */
  fork(): TroubleTimes {
    const forked = new TroubleTimes();
    for (const [key, time] of this.#times) forked.#times.set(key, { ...time });
    return forked;
  }

  /** A row came. `isSameObject`: it replaces an older row of the same object. */
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

  /** The row of this key is gone. */
  remove(place: KeyPlace): void {
    this.#times.delete(keyText(place));
  }

  /** What came since the last call was received then. */
  settle(receivedAtMs: number): void {
    for (const time of this.#pending) time.sinceMs = receivedAtMs;
    this.#pending.length = 0;
  }

  /** By the hub's wall clock; undefined where it is not known. */
  get({ namespace, name }: { readonly namespace: string; readonly name: string }): number | undefined {
    return this.#times.get(`${namespace}/${name}`)?.sinceMs;
  }

  /** The earliest of them; undefined where none is known. */
  get oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const { sinceMs } of this.#times.values())
      if (sinceMs !== undefined && (oldest === undefined || sinceMs < oldest)) oldest = sinceMs;
    return oldest;
  }
}

const decoder = new TextDecoder();

/** Without the table's own cache of texts: what is held for long keeps none. */
function decode(strings: KeyPlace["strings"], id: number): string {
  return decoder.decode(strings.bytesOf(id));
}

function keyText({ strings, keys, at }: KeyPlace): string {
  return `${decode(strings, keys.namespaceIds[at] ?? 0)}/${decode(strings, keys.nameIds[at] ?? 0)}`;
}
