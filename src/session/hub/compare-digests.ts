// SPDX-License-Identifier: Apache-2.0
// The hub's half of the digest exchange (SE23 to SE27): what is equal, what differs, and what to ask for next.
import { bucketCode, sessionBucketCount } from "../../model/bucket.ts";
import { type Digest, emptyDigest, isSameDigest, sumDigests } from "../../model/digest.ts";
import type { DigestsFacts, KindDigestFacts } from "./parsed-request.ts";

/** The digests of the rows that the hub holds of one cluster, by the texts of resource ids. */
export interface HeldDigests {
  kind(resource: string): Digest;
  /** Of `sessionBucketCount` buckets, in order. */
  buckets(resource: string): readonly Digest[];
}

/** What the hub asks for. Bucket codes are those of SE24. */
export type DigestAsk =
  | { readonly kind: "kinds" }
  | { readonly kind: "buckets"; readonly resources: readonly string[] }
  | { readonly kind: "rows"; readonly resource: string; readonly all: boolean; readonly codes: readonly number[] };

/** The outcome of one message of digests. */
export interface Comparison {
  readonly equal: readonly string[];
  readonly differing: readonly string[];
  readonly asks: readonly DigestAsk[];
  /** What stayed unequal for too long; the session ends (SE27). */
  readonly diverged?: string;
}

/** How often rows of a kind are asked for, or a root is found unequal, without becoming equal in between (SE27). */
const maxRoundCount = 3;

const root = "";

/** Compares the digests of one session, message by message, and counts the rounds. One for each session. */
export class DigestComparer {
  readonly #rounds = new Map<string, number>();
  /** The seq at which rows of a kind were last asked for: digests of the same seq were made before the answer, and say nothing of it. */
  readonly #askedSeqs = new Map<string, number>();
  /** The digests of kinds that an unequal root asked for have not come: further unequal roots are the same round. */
  #areKindsAwaited = false;

  /**
   * `complete` are the kinds whose list the agent has completed in this incarnation. The caller has applied exactly the seq
   * that the digests are of. Rows are asked for in place of what the hub holds only from a complete kind (L4).
   */
  compare(digests: DigestsFacts, complete: ReadonlySet<string>, held: HeldDigests): Comparison {
    if (digests.depth === "root") return this.#compareRoot(digests.kinds[0]?.digest ?? emptyDigest, complete, held);
    if (digests.depth === "kinds") this.#areKindsAwaited = false;
    const equal = digests.kinds.filter(({ resource, digest }) => isSameDigest(digest, held.kind(resource)));
    for (const { resource } of equal) this.#rounds.delete(resource);
    const unequal = digests.kinds.filter((kind) => !equal.includes(kind));
    const open = unequal.filter(({ resource }) => this.#askedSeqs.get(resource) !== digests.seq);
    const outcome =
      digests.depth === "kinds" ? this.#askDeeper(open, complete, held) : this.#askRows(open, complete, held);
    for (const ask of outcome.asks) if (ask.kind === "rows") this.#askedSeqs.set(ask.resource, digests.seq);
    return {
      equal: equal.map(({ resource }) => resource),
      differing: unequal.map(({ resource }) => resource),
      ...outcome,
    };
  }

  #compareRoot(theirs: Digest, complete: ReadonlySet<string>, held: HeldDigests): Comparison {
    const kinds = [...complete];
    const ours = sumDigests(kinds.map((resource) => held.kind(resource)));
    if (isSameDigest(theirs, ours)) {
      this.#rounds.clear();
      return { equal: kinds, differing: [], asks: [] };
    }
    const isRound = !this.#areKindsAwaited;
    this.#areKindsAwaited = true;
    if (isRound && !this.#beginRound(root))
      return { equal: [], differing: [], asks: [], diverged: "the root of all kinds" };
    return { equal: [], differing: [], asks: [{ kind: "kinds" }] };
  }

  #askDeeper(
    unequal: readonly KindDigestFacts[],
    complete: ReadonlySet<string>,
    held: HeldDigests,
  ): Pick<Comparison, "asks" | "diverged"> {
    const asks: DigestAsk[] = [];
    const deeper: string[] = [];
    for (const { resource } of unequal) {
      if (held.kind(resource).rowCount > 0) {
        if (complete.has(resource)) deeper.push(resource);
      } else if (this.#beginRound(resource)) asks.push({ kind: "rows", resource, all: true, codes: [] });
      else return { asks: [], diverged: resource };
    }
    if (deeper.length > 0) asks.push({ kind: "buckets", resources: deeper });
    return { asks };
  }

  #askRows(
    unequal: readonly KindDigestFacts[],
    complete: ReadonlySet<string>,
    held: HeldDigests,
  ): Pick<Comparison, "asks" | "diverged"> {
    const asks: DigestAsk[] = [];
    for (const { resource, buckets } of unequal) {
      if (!complete.has(resource)) continue;
      if (!this.#beginRound(resource)) return { asks: [], diverged: resource };
      const ours = held.buckets(resource);
      const codes = buckets.flatMap((theirs, bucket) =>
        isSameDigest(theirs, ours[bucket] ?? emptyDigest) ? [] : [bucketCode(sessionBucketCount, bucket)],
      );
      asks.push({ kind: "rows", resource, all: false, codes });
    }
    return { asks };
  }

  /** False when there were as many as may be. Rows that are asked for may mend the root, so its count begins anew. */
  #beginRound(what: string): boolean {
    const count = (this.#rounds.get(what) ?? 0) + 1;
    if (what !== root) this.#rounds.delete(root);
    this.#rounds.set(what, count);
    return count <= maxRoundCount;
  }
}
