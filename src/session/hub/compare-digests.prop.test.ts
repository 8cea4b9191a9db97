// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import { BucketDigests, type Digest, emptyDigest } from "../../model/rows/digest.ts";
import { toRowHash } from "../../model/rows/row.ts";
import { differingBuckets } from "../../model/rows/testing/key-digests.ts";
import { DigestComparer } from "./compare-digests.ts";

/** Rows by kind: each is its bucket and its hash. */
type Rows = ReadonlyMap<string, readonly (readonly [number, number])[]>;

const kindNames = ["pods", "services", "apps/deployments"];
const rowsOfKind = fc.uniqueArray(fc.tuple(fc.nat({ max: 1_023 }), fc.nat({ max: 5 })), {
  selector: ([bucket]) => bucket,
  maxLength: 8,
});
const rows: fc.Arbitrary<Rows> = fc
  .tuple(rowsOfKind, rowsOfKind, rowsOfKind)
  .map((all) => new Map(kindNames.map((name, at) => [name, all[at] ?? []])));

function bucketsOf(held: Rows, resource: string): BucketDigests {
  const digests = new BucketDigests(sessionBucketCount);
  for (const [bucket, hash] of held.get(resource) ?? []) digests.add(bucket, toRowHash(BigInt(hash + 1)));
  return digests;
}

function digestsOf(held: Rows, resource: string): { readonly digest: Digest; readonly buckets: readonly Digest[] } {
  const buckets = bucketsOf(held, resource);
  return { digest: buckets.total(), buckets: buckets.list() };
}

test("[SE23] [CO46] walked from the kinds down, exactly the differing rows are requested", () => {
  fc.assert(
    fc.property(rows, rows, (ours, theirs) => {
      const comparer = new DigestComparer(1_000);
      const complete = new Set(kindNames);
      const held = {
        kind: (resource: string) => digestsOf(ours, resource).digest,
        buckets: (resource: string) => digestsOf(ours, resource).buckets,
      };
      const kinds = kindNames.map((resource) => ({
        resource,
        digest: digestsOf(theirs, resource).digest,
        buckets: [],
      }));
      const first = comparer.compare({ seq: 0, depth: "kinds", kinds }, complete, held, 0);
      for (const resource of kindNames) {
        const [mine, other] = [digestsOf(ours, resource), digestsOf(theirs, resource)];
        const isEqual = mine.digest.sum === other.digest.sum && mine.digest.rowCount === other.digest.rowCount;
        expect(first.equal.includes(resource)).toBe(isEqual);
        expect(first.differing.includes(resource)).toBe(!isEqual);
      }
      const deeper = first.asks.flatMap((ask) => (ask.kind === "buckets" ? ask.resources : []));
      const whole = first.asks.flatMap((ask) => (ask.kind === "rows" && ask.all ? [ask.resource] : []));
      expect([...deeper, ...whole].sort()).toEqual([...first.differing].sort());
      expect(whole.every((resource) => digestsOf(ours, resource).digest.rowCount === 0)).toBe(true);
      const asked = deeper.map((resource) => ({ resource, ...digestsOf(theirs, resource) }));
      const second = comparer.compare({ seq: 0, depth: "buckets", kinds: asked }, complete, held, 0);
      for (const ask of second.asks) {
        if (ask.kind !== "rows") throw new Error("only rows are asked for now");
        const [mine, other] = [digestsOf(ours, ask.resource), digestsOf(theirs, ask.resource)];
        const expected = differingBuckets(mine.buckets, other.buckets).map((bucket) =>
          bucketCode(sessionBucketCount, bucket),
        );
        expect(ask.codes).toEqual(expected);
        expect(ask.codes.length).toBeGreaterThan(0);
      }
      expect(second.asks).toHaveLength(deeper.length);
    }),
    { numRuns: 40 },
  );
});

test("[SE27] a root that stays unequal although no kind differs ends as diverged", () => {
  const comparer = new DigestComparer(1_000);
  const held = { kind: () => emptyDigest, buckets: () => [] };
  const kinds = [{ resource: "", digest: { rowCount: 1, sum: 1n }, buckets: [] }];
  const compareRoot = (): string | undefined =>
    comparer.compare({ seq: 0, depth: "root", kinds }, new Set(), held, 0).diverged;
  const compare = (): string | undefined => {
    // The second root arrives before the kinds that the first one requested, so it is no round of its own.
    const diverged = compareRoot() ?? compareRoot();
    comparer.compare({ seq: 0, depth: "kinds", kinds: [] }, new Set(), held, 0);
    return diverged;
  };
  expect([compare(), compare(), compare(), compare()]).toEqual([
    undefined,
    undefined,
    undefined,
    "the root of all kinds",
  ]);
});

test("[SE27] becoming equal begins the count anew", () => {
  const comparer = new DigestComparer(1_000);
  let ours = emptyDigest;
  const held = { kind: () => ours, buckets: () => [] };
  const kinds = [{ resource: "pods", digest: { rowCount: 1, sum: 1n }, buckets: [] }];
  for (let round = 0; round < 10; round += 1) {
    ours = round % 3 === 2 ? { rowCount: 1, sum: 1n } : emptyDigest;
    expect(comparer.compare({ seq: 0, depth: "kinds", kinds }, new Set(["pods"]), held, 0).diverged).toBeUndefined();
  }
});
