// SPDX-License-Identifier: Apache-2.0
// Rounds of the digest exchange (SE27) over two streams that are in order and as late as they like.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DigestComparer, type HeldDigests } from "./compare-digests.ts";
import type { DigestSet } from "./parsed-request.ts";
import { DigestModel, kindNames, modelBucketCount, modelHashCount } from "./testing/digest-model.ts";

const heartbeatMs = 1_000;

const resource = fc.constantFrom(...kindNames);
const rows = fc.array(
  fc.tuple(
    resource,
    fc.nat({ max: modelBucketCount - 1 }),
    fc.option(fc.nat({ max: modelHashCount - 1 }), { nil: undefined }),
  ),
  { maxLength: 12 },
);

/** What happens next: an object changes, one of the two reads a message, or the agent sends something. */
const deed = fc.oneof(
  fc.record({
    kind: fc.constant("change" as const),
    resource,
    bucket: fc.nat({ max: modelBucketCount - 1 }),
    hash: fc.option(fc.nat({ max: modelHashCount - 1 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constantFrom("hubReads", "agentReads", "flush", "root", "kinds") }),
);

test("[SE27] an agent that answers never ends as diverged, however late the streams are; it comes to be equal, and is asked for nothing twice at once", () => {
  fc.assert(
    fc.property(rows, rows, fc.array(deed, { maxLength: 80 }), (held, sent, deeds) => {
      const model = new DigestModel({ held, sent, heartbeatMs });
      for (const each of deeds) {
        if (each.kind === "change") model.change(each);
        else model[each.kind]();
      }
      model.rest();
      expect([model.diverged, model.isEqual]).toEqual([undefined, true]);
      expect(model.askedTwice).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("[SE27] an agent that answers no ask for rows is ended after four times the time of an answer", () => {
  const model = new DigestModel({ held: [["pods", 0, 1]], sent: [["pods", 0, 2]], heartbeatMs });
  const endMs = (): number => {
    for (let heartbeatCount = 0; heartbeatCount < 40; heartbeatCount += 1) {
      model.root();
      model.readAll();
      model.asks.clear();
      if (model.diverged !== undefined) return model.nowMs;
      model.nowMs += heartbeatMs;
    }
    return Number.POSITIVE_INFINITY;
  };
  expect(endMs()).toBe(12 * heartbeatMs);
  expect(model.diverged).toBe("pods");
});

test("[SE27] a long answer is waited for while some of it comes", () => {
  const all = Array.from({ length: modelBucketCount }, (_, bucket) => bucket);
  const model = new DigestModel({
    held: all.map((bucket) => ["pods", bucket, 1]),
    sent: all.map((bucket) => ["pods", bucket, 2]),
    heartbeatMs,
  });
  model.root();
  model.readAll();
  for (const _ of all) {
    model.nowMs += 3 * heartbeatMs;
    model.kinds();
    model.hubReads();
    expect(model.askedCount).toBe(1);
    model.flush({ bucketCount: 1 });
    model.readAll();
  }
  model.root();
  model.readAll();
  expect([model.diverged, model.isEqual]).toEqual([undefined, true]);
});

test("[SE27] a kind whose list is begun anew is asked anew, and its count begins anew", () => {
  const model = new DigestModel({ held: [["pods", 0, 1]], sent: [["pods", 0, 2]], heartbeatMs });
  for (let time = 0; time < 6; time += 1) {
    model.kinds();
    model.readAll();
    expect(model.askedCount).toBe(time + 1);
    model.asks.clear();
    model.relist("pods");
  }
  expect(model.diverged).toBeUndefined();
});

test("[SE27] an agent that answers no ask for kinds is ended after four times the time of an answer", () => {
  const model = new DigestModel({ held: [["pods", 0, 1]], sent: [["pods", 0, 2]], heartbeatMs });
  for (let heartbeatCount = 0; heartbeatCount <= 12; heartbeatCount += 1) {
    expect(model.diverged).toBeUndefined();
    model.nowMs = heartbeatCount * heartbeatMs;
    model.root();
    model.hubReads();
  }
  expect(model.diverged).toBe("the root of all kinds");
});

/** Digests of one kind, at the level of kinds. */
function kindsOf(rowCount: number): DigestSet {
  const digest = { rowCount, sum: BigInt(rowCount) };
  return { seq: 0, depth: "kinds", kinds: [{ resource: "pods", digest, buckets: [] }] };
}

const complete = new Set(["pods"]);

function holding(rowCount: number): HeldDigests {
  return { kind: () => ({ rowCount, sum: BigInt(rowCount) }), buckets: () => [] };
}

test("[SE27] rows as a whole have come with the first of them: from then on what differs is asked for by bucket", () => {
  const comparer = new DigestComparer(heartbeatMs);
  expect(comparer.compare(kindsOf(3), complete, holding(0), 0).asks).toMatchObject([{ kind: "rows", all: true }]);
  comparer.applied([{ resourceText: "pods", replacedBucket: 0 }], 0);
  expect(comparer.compare(kindsOf(3), complete, holding(1), 0).asks).toMatchObject([{ kind: "buckets" }]);
});

test("[SE27] [HE4] an equal root does not prove a kind whose rows were asked for and wait: a paused agent answers before it sends them", () => {
  const comparer = new DigestComparer(heartbeatMs);
  comparer.compare(kindsOf(3), complete, holding(0), 0);
  const root = { ...kindsOf(0), depth: "root" } as const;
  expect(comparer.compare(root, complete, holding(0), 0)).toMatchObject({ equal: [], asks: [] });
  expect(comparer.compare(kindsOf(3), complete, holding(0), 0).asks).toEqual([]);
  const late = 4 * heartbeatMs;
  expect(comparer.compare(root, complete, holding(0), late).equal).toEqual([...complete]);
});

test("[SE27] an equal root ends every round", () => {
  const comparer = new DigestComparer(heartbeatMs);
  const requestAll = (): number => comparer.compare(kindsOf(3), complete, holding(0), 0).asks.length;
  expect([requestAll(), requestAll()]).toEqual([1, 0]);
  comparer.compare({ ...kindsOf(3), depth: "root" }, complete, holding(3), 0);
  expect(requestAll()).toBe(1);
});
