// SPDX-License-Identifier: Apache-2.0
import type { ScannedNumbers } from "../scan/scanned-rows.ts";
import { allocateIds, type IdValues } from "../table/id-column.ts";
import type { ReadableIds } from "../table/kind-table.ts";
import type { NumberColumn } from "../table/number-column.ts";

/** Room for some more rows, so that the array of a cluster that grows is not replaced each time. */
function roomFor(count: number): number {
  return count + (count >>> 4) + 16;
}

/** A column of ids of several tables, one after the other. Joined again in place after rows changed. */
export class JoinedIds {
  #values: IdValues = new Uint8Array(0);

  /** `parts` have so many rows each. Ids are at most `greatest`. Borrowed until the next call. */
  join(parts: readonly ReadableIds[], counts: readonly number[], greatest: number): ReadableIds {
    const count = counts.reduce((sum, each) => sum + each, 0);
    const needed = allocateIds(0, greatest).BYTES_PER_ELEMENT;
    if (this.#values.length < count || this.#values.BYTES_PER_ELEMENT !== needed)
      this.#values = allocateIds(roomFor(count), greatest);
    let [at, presentCount] = [0, 0];
    for (const [part, { values, presentCount: ofPart }] of parts.entries()) {
      const length = counts[part] ?? 0;
      if (ofPart === 0) this.#values.fill(0, at, at + length);
      else this.#values.set(values.subarray(0, length), at);
      at += length;
      presentCount += ofPart;
    }
    return { values: this.#values.subarray(0, count), presentCount };
  }
}

/** Times of Kubernetes are whole seconds, in milliseconds. */
const secondMs = 1_000;

/** A column of times of several tables, one after the other. Joined again in place after rows changed. */
export class JoinedTimes {
  #seconds: Uint32Array<ArrayBuffer> = new Uint32Array(0);

  /** `parts` have so many rows each. Borrowed until the next call. */
  join(parts: readonly NumberColumn[], counts: readonly number[]): ScannedNumbers {
    const count = counts.reduce((sum, each) => sum + each, 0);
    const presentCount = parts.reduce((sum, part) => sum + part.presentCount, 0);
    if (!parts.every((part) => part.unit === secondMs || part.presentCount === 0))
      return { values: joinNumbers(parts, counts, count), unit: undefined, presentCount, hasSmallWords: false };
    if (this.#seconds.length < count) this.#seconds = new Uint32Array(roomFor(count));
    let at = 0;
    for (const [part, { values, presentCount: ofPart }] of parts.entries()) {
      const length = counts[part] ?? 0;
      if (ofPart === 0) this.#seconds.fill(0, at, at + length);
      else this.#seconds.set(values.subarray(0, length), at);
      at += length;
    }
    const hasSmallWords = parts.every((part) => part.hasSmallWords);
    return { values: this.#seconds.subarray(0, count), unit: secondMs, presentCount, hasSmallWords };
  }
}

/** For times with parts of seconds, which no object of Kubernetes has. */
function joinNumbers(
  parts: readonly NumberColumn[],
  counts: readonly number[],
  count: number,
): Float64Array<ArrayBuffer> {
  const joined = new Float64Array(count);
  let at = 0;
  for (const [part, numbers] of parts.entries())
    for (let row = 0; row < (counts[part] ?? 0); row += 1, at += 1) joined[at] = numbers.get(row);
  return joined;
}
