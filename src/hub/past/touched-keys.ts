// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { KeySet } from "../../index/table/apply-part.ts";
import type { BatchKeys } from "../../model/row-batch/decode-keys.ts";
import { maxBucketCount, parseBucketCode } from "../../model/rows/bucket.ts";
import type { LoadedSegment } from "../../store/fleet-log/fleet-log.ts";

/** What is known of the keys whose hashes end in the same bits. */
const [none, some, every] = [0, 1, 2];

/**
 * The keys that some segments of the log may have changed: those of their rows and deletes, and all keys of a replaced
 * bucket, because a segment does not have the rows that it removes. Keys are known by their hashes.
 */
export class TouchedKeys implements KeySet {
  /** By the last bits of a hash, which every bucket count divides. Undefined: no key. */
  #ends: Uint8Array | undefined;
  readonly #hashes = new Set<number>();

  has(keyHash: number): boolean {
    const found = this.#ends?.[keyHash & (maxBucketCount - 1)] ?? none;
    return found === every || (found === some && this.#hashes.has(keyHash));
  }

  /** Whether a batch has one of the keys. */
  hasSome({ rows, deletes }: Pick<BatchKeys, "rows" | "deletes">): boolean {
    return this.#hasOne(rows) || this.#hasOne(deletes);
  }

  /** Adds the keys that a segment may change. */
  add(form: LoadedSegment["form"], { rows, deletes }: Pick<BatchKeys, "rows" | "deletes">): void {
    if (form.kind === "replace") this.#addBucket(form.bucket);
    this.#addAll(rows);
    this.#addAll(deletes);
  }

  /** An index is three times as fast as an iterator: this runs for every row of the kinds that changed. */
  #hasOne(hashes: Uint32Array): boolean {
    for (let at = 0; at < hashes.length; at += 1) if (this.has(hashes[at] ?? 0)) return true;
    return false;
  }

  #addAll(hashes: Uint32Array): void {
    this.#ends ??= new Uint8Array(maxBucketCount);
    for (const hash of hashes) {
      const end = hash & (maxBucketCount - 1);
      if (this.#ends[end] === every) continue;
      this.#ends[end] = some;
      this.#hashes.add(hash);
    }
  }

  #addBucket(code: number): void {
    const parsed = parseBucketCode(code);
    assert(parsed !== undefined, "a bucket's code was checked when it came");
    this.#ends ??= new Uint8Array(maxBucketCount);
    for (let end = parsed.bucket; end < maxBucketCount; end += parsed.bucketCount) this.#ends[end] = every;
  }
}
