// SPDX-License-Identifier: Apache-2.0
import { assert } from "../base/assert.ts";
import { BucketDigests, type Digest, emptyDigest, isSameDigest, sumDigests } from "./digest.ts";
import { compareResourceIds, type ResourceId, resourceIdText } from "./gvr.ts";

/** A kind and its digest. */
export interface KindDigest {
  readonly resource: ResourceId;
  readonly digest: Digest;
}

/**
 * The digests of one cluster's rows: root, kind, bucket (CO46). Two sides compare it top-down and exchange only what
 * differs.
 */
export class DigestTree {
  readonly #kinds = new Map<string, { readonly resource: ResourceId; readonly buckets: BucketDigests }>();

  /** The buckets of a kind, created empty on first use. Their number is fixed from then on. */
  openKind(resource: ResourceId, bucketCount: number): BucketDigests {
    const text = resourceIdText(resource);
    const known = this.#kinds.get(text);
    if (known !== undefined) {
      assert(known.buckets.bucketCount === bucketCount, "a kind keeps its number of buckets");
      return known.buckets;
    }
    const buckets = new BucketDigests(bucketCount);
    this.#kinds.set(text, { resource, buckets });
    return buckets;
  }

  /** The buckets of a kind; undefined if it was never opened or is closed. */
  getKind(resource: ResourceId): BucketDigests | undefined {
    return this.#kinds.get(resourceIdText(resource))?.buckets;
  }

  /** Removes a kind that is no longer collected. */
  closeKind(resource: ResourceId): void {
    this.#kinds.delete(resourceIdText(resource));
  }

  /** The digest of every kind, sorted by resource id. */
  listKinds(): KindDigest[] {
    return Array.from(this.#kinds.values(), ({ resource, buckets }) => ({ resource, digest: buckets.total() })).sort(
      (a, b) => compareResourceIds(a.resource, b.resource),
    );
  }

  /** The digest of all rows of the cluster. */
  root(): Digest {
    return sumDigests(this.listKinds().map((kind) => kind.digest));
  }

  /** The kinds whose digests differ from the other side's. A kind that one side does not have counts as empty there. */
  differingKinds(others: readonly KindDigest[]): ResourceId[] {
    const theirs = new Map(others.map((kind) => [resourceIdText(kind.resource), kind]));
    const differing: ResourceId[] = [];
    for (const { resource, digest } of this.listKinds()) {
      const text = resourceIdText(resource);
      if (!isSameDigest(digest, theirs.get(text)?.digest ?? emptyDigest)) differing.push(resource);
      theirs.delete(text);
    }
    for (const { resource, digest } of theirs.values())
      if (!isSameDigest(digest, emptyDigest)) differing.push(resource);
    return differing.sort(compareResourceIds);
  }
}
