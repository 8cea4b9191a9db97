// SPDX-License-Identifier: Apache-2.0
// The hub's side of the digest exchange (SE23 to SE27): what is equal, what differs, and what to request next.
import { bucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import { type Digest, emptyDigest, isSameDigest, sumDigests } from "../../model/rows/digest.ts";
import type { DigestSet, KindDigestFacts, PartFacts } from "./parsed-request.ts";

/** The digests of the hub's rows of one cluster, by resource id text. */
export interface HeldDigests {
  kind(resource: string): Digest;
  /** Of `sessionBucketCount` buckets, in order. */
  buckets(resource: string): readonly Digest[];
}

/** A request to the agent. Bucket codes are those of SE24. */
export type DigestAsk =
  | { readonly kind: "kinds" }
  | { readonly kind: "buckets"; readonly resources: readonly string[] }
  | { readonly kind: "rows"; readonly resource: string; readonly all: boolean; readonly codes: readonly number[] };

/** The outcome of one message of digests. */
export interface Comparison {
  readonly equal: readonly string[];
  readonly differing: readonly string[];
  readonly asks: readonly DigestAsk[];
  /** The kind, or root, that stayed unequal for too long; the session ends (SE27). */
  readonly diverged?: string;
}

/** Most times that rows of a kind are requested, or a root is unequal, without equality in between (SE27). */
const maxRoundCount = 3;

/** Most heartbeats for a request and the start of its answer, two each way: a slower stream has ended (SE29). */
const answerHeartbeatCount = 4;

const root = "";

/** A request whose answer has not arrived completely. */
interface OpenAsk {
  /**
   * Codes of the requested buckets. For a whole kind it is the code of upserts: once the hub holds some of its rows, it
   * requests buckets.
   */
  readonly codes: Set<number>;
  /** The hub's digest at the time of the request. */
  readonly held: Digest;
  /** Time of the request, or of the newest part of its answer. */
  sinceMs: number;
}

const upsertsCode = 0;

/** Compares the digests of one session, message by message, and counts the rounds. One per session. */
export class DigestComparer {
  readonly #answerMs: number;
  readonly #rounds = new Map<string, number>();
  /** By resource, or `root` after a request for kinds. Digests that arrive before the answer show nothing new. */
  readonly #open = new Map<string, OpenAsk>();

  constructor(heartbeatMs: number) {
    this.#answerMs = answerHeartbeatCount * heartbeatMs;
  }

  /**
   * `complete` are the kinds whose list the agent has completed in this incarnation. The caller has applied exactly the
   * flushes up to the digests' seq. Replacement of the hub's rows is requested only for a complete kind (L4).
   */
  compare(digests: DigestSet, complete: ReadonlySet<string>, held: HeldDigests, nowMs: number): Comparison {
    for (const [what, { sinceMs }] of this.#open) if (nowMs - sinceMs >= this.#answerMs) this.#open.delete(what);
    if (digests.depth === "root")
      return this.#compareRoot(digests.kinds[0]?.digest ?? emptyDigest, complete, held, nowMs);
    if (digests.depth === "kinds") this.#open.delete(root);
    const equal = digests.kinds.filter(({ resource, digest }) => isSameDigest(digest, held.kind(resource)));
    for (const { resource } of equal) this.#forget(resource);
    const unequal = digests.kinds.filter((kind) => !equal.includes(kind));
    const news = unequal.filter(({ resource }) => !this.#open.has(resource));
    const outcome =
      digests.depth === "kinds" ? this.#askDeeper(news, complete, held) : this.#askRows(news, complete, held);
    for (const ask of outcome.asks)
      if (ask.kind === "rows")
        this.#open.set(ask.resource, {
          codes: new Set(ask.all ? [upsertsCode] : ask.codes),
          held: held.kind(ask.resource),
          sinceMs: nowMs,
        });
    return {
      equal: equal.map(({ resource }) => resource),
      differing: unequal.map(({ resource }) => resource),
      ...outcome,
    };
  }

  /** A flush with these parts was applied: marks them as answered. */
  applied(parts: readonly Pick<PartFacts, "resourceText" | "replacedBucket">[], nowMs: number): void {
    for (const { resourceText, replacedBucket } of parts) {
      const ask = this.#open.get(resourceText);
      if (ask?.codes.delete(replacedBucket) !== true) continue;
      if (ask.codes.size === 0) this.#open.delete(resourceText);
      else ask.sinceMs = nowMs;
    }
  }

  /** No answer comes for an incomplete kind. Its count restarts when it is complete again. */
  reported(complete: ReadonlySet<string>): void {
    for (const what of this.#rounds.keys()) if (what !== root && !complete.has(what)) this.#forget(what);
  }

  #forget(what: string): void {
    this.#rounds.delete(what);
    this.#open.delete(what);
  }

  #compareRoot(theirs: Digest, complete: ReadonlySet<string>, held: HeldDigests, nowMs: number): Comparison {
    const kinds = [...complete];
    const ours = sumDigests(kinds.map((resource) => held.kind(resource)));
    if (isSameDigest(theirs, ours)) {
      this.#rounds.clear();
      // Digests cover sent rows only. If none of the requested rows of a kind have come, they wait at the agent: the
      // kind is not proven (SE27).
      for (const [what, ask] of this.#open)
        if (what === root || !isSameDigest(ask.held, held.kind(what))) this.#open.delete(what);
      const isProven = (resource: string): boolean => !this.#open.has(resource);
      return { equal: kinds.filter(isProven), differing: kinds.filter((resource) => !isProven(resource)), asks: [] };
    }
    if (this.#open.size === 0 && !this.#beginRound(root))
      return { equal: [], differing: [], asks: [], diverged: "the root of all kinds" };
    if (!this.#open.has(root)) this.#open.set(root, { codes: new Set(), held: emptyDigest, sinceMs: nowMs });
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

  /** False if the limit is reached. Requested rows may repair the root, so its count restarts. */
  #beginRound(what: string): boolean {
    const count = (this.#rounds.get(what) ?? 0) + 1;
    if (what !== root) this.#rounds.delete(root);
    this.#rounds.set(what, count);
    return count <= maxRoundCount;
  }
}
