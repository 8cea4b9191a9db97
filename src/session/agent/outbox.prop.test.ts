// SPDX-License-Identifier: Apache-2.0
// Outbox and flush plans against a hub that keeps its rows the plain way, loses streams and forgets what was not
// durable.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isRbacResource } from "../../model/rbac-resources.ts";
import { sessionBucketCount } from "../../model/rows/bucket.ts";
import { bucketOf, digestOf } from "../../model/rows/testing/key-digests.ts";
import { Outbox } from "./outbox.ts";
import { type FlushPlan, planFlush } from "./plan-flush.ts";
import { sentKinds } from "./sent-digests.ts";
import { ModelRows, tableHashes } from "./testing/model-rows.ts";
import { sampleKind, sampleRow, sampleTable } from "./testing/sample-rows.ts";

const roles = "rbac.authorization.k8s.io/roles";
const bindings = "rbac.authorization.k8s.io/rolebindings";
const resources = ["pods", roles, bindings] as const;
const key = {
  resource: fc.constantFrom(...resources),
  name: fc.constantFrom("a", "b", "__proto__"),
};

const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("upsert" as const),
      ...key,
      uid: fc.constantFrom("u1", "u2"),
      note: fc.constantFrom("", "x", "y".repeat(150)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("delete" as const), ...key }) },
  fc.record({ kind: fc.constant("list" as const), resource: key.resource, names: fc.subarray(["a", "b", "c"]) }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("plan" as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("send" as const) }) },
  fc.record({ kind: fc.constant("putBack" as const) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("ack" as const), behind: fc.nat(3) }) },
  fc.record({ kind: fc.constant("cut" as const), lostCount: fc.nat(4) }),
  fc.record({ kind: fc.constant("need" as const), resource: key.resource }),
  fc.record({ kind: fc.constant("credit" as const), bytes: fc.constantFrom(0, 300, 100_000) }),
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

const maxPlanBytes = 1_000;

/** The buckets of all names, and one that is always empty. */
const allBuckets = ["a", "b", "c", "__proto__", "nobody"].map((name) =>
  bucketOf({ namespace: "default", name }, sessionBucketCount),
);

/** Both ends, in one thread. */
class Pair {
  readonly table = sampleTable();
  readonly outbox = new Outbox(this.table, () => this.nowMs);
  /** What the hub holds after each flush; the last is the newest. */
  readonly history: ModelRows[] = [new ModelRows()];
  durableSeq = 0;
  plan: FlushPlan | undefined;
  nowMs = 0;

  constructor() {
    for (const resource of resources) {
      const kind = this.table.openKind(sampleKind(resource));
      kind.beginList();
      kind.endList();
    }
    this.outbox.creditBytes = 100_000;
  }

  get hub(): ModelRows {
    return this.history.at(-1) ?? new ModelRows();
  }

  run(one: Command): void {
    this.nowMs += 1;
    switch (one.kind) {
      case "upsert":
        this.table.openKind(sampleKind(one.resource)).upsert(sampleRow(one));
        return;
      case "delete":
        this.table.openKind(sampleKind(one.resource)).delete({ namespace: "default", name: one.name }, "");
        return;
      case "list": {
        const kind = this.table.openKind(sampleKind(one.resource));
        kind.beginList();
        for (const name of one.names) kind.upsert(sampleRow({ resource: one.resource, name, uid: "u3" }));
        kind.endList();
        return;
      }
      case "plan":
        this.makePlan();
        return;
      case "send":
        this.send();
        return;
      case "putBack":
        if (this.plan !== undefined) this.outbox.putBack(this.plan.entries, this.plan.sinceMs);
        this.plan = undefined;
        return;
      case "ack":
        this.durableSeq = Math.max(this.durableSeq, this.outbox.lastSeq - one.behind);
        expect(this.outbox.acknowledge(this.durableSeq)).toBe(true);
        return;
      case "cut":
        this.cut(one.lostCount);
        return;
      case "need":
        this.need(one.resource);
        return;
      case "credit":
        this.outbox.creditBytes = one.bytes;
        return;
    }
  }

  makePlan(): void {
    if (this.plan !== undefined) return;
    const waitingRbac = [...this.outbox.waiting.keys()].filter((kind) => isRbacResource(kind.resource));
    this.plan = planFlush(this.table, this.outbox, maxPlanBytes, this.nowMs);
    if (this.plan === undefined) return;
    // All RBAC changes that waited are in, and before the others (L2, SE16).
    for (const kind of waitingRbac) expect(this.outbox.waiting.has(kind)).toBe(false);
    const ranks = this.plan.parts.map((part) => (isRbacResource(part.kind.resource) ? 0 : 1));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  }

  send(): void {
    const { plan } = this;
    if (plan === undefined || !this.outbox.canSend(200)) return;
    this.plan = undefined;
    this.outbox.send(plan.entries, 200, plan.sinceMs);
    const isAlone = this.outbox.flightCount === 1;
    expect(isAlone || this.outbox.unackedBytes <= this.outbox.creditBytes).toBe(true);
    const next = this.hub.copy();
    for (const { kind, replacedBucket, rows, deletes } of plan.parts)
      next.apply({ resource: kind.resource, replacedBucket, rows, deletes });
    this.history.push(next);
  }

  /** The stream ends; of what was sent, that many flushes are lost for ever. */
  cut(lostCount: number): void {
    this.run({ kind: "putBack" });
    this.durableSeq = Math.max(this.durableSeq, this.outbox.lastSeq - lostCount);
    this.history.length = this.durableSeq + 1;
    expect(this.outbox.resume(this.durableSeq)).toBe("resumed");
    expect(this.outbox.lastSeq).toBe(this.durableSeq);
    this.outbox.creditBytes = 100_000;
  }

  /** The hub has seen a difference, or imagines one, and asks for a whole kind: as upserts, or bucket by bucket. */
  need(resource: string): void {
    const kind = this.table.openKind(sampleKind(resource));
    if (this.hub.kind(resource).size === 0 && this.plan === undefined) this.outbox.requestAll(kind);
    else this.outbox.requestBuckets(kind, allBuckets);
  }

  /** What counts as sent is what the hub holds after the newest flush (SE23). */
  checkSent(): void {
    const held = [...resources].map((resource) => {
      const hashes = [...this.hub.kind(resource).values()].map((row) => row.rowHash);
      return { resource, digest: digestOf(hashes) };
    });
    expect(sentKinds(this.table).map(({ kind, digest }) => ({ resource: kind.resource, digest }))).toEqual(held);
  }

  drain(): void {
    this.outbox.creditBytes = 100_000;
    for (let round = 0; round < 2_000 && (this.outbox.hasWaiting || this.plan !== undefined); round += 1) {
      this.run({ kind: "ack", behind: 0 });
      this.makePlan();
      this.send();
    }
    this.run({ kind: "ack", behind: 0 });
  }
}

test("[SE13] [SE14] [SE15] [SE16] [SE17] [SE20] through lost flushes, relists, recreated names and replaced buckets the hub ends equal, and what counts as sent is what it holds", () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60, size: "max" }), (commands) => {
      const pair = new Pair();
      for (const one of commands) {
        pair.run(one);
        pair.checkSent();
        expect(pair.outbox.waitingCount).toBeLessThanOrEqual(resources.length * 4);
      }
      pair.drain();
      pair.checkSent();
      expect(pair.hub.hashes()).toEqual(tableHashes(pair.table));
      expect([pair.outbox.waitingCount, pair.outbox.flightCount, pair.outbox.unackedBytes]).toEqual([0, 0, 0]);
      // Acknowledged deletes leave nothing behind.
      for (const kind of pair.table.kinds)
        for (const slot of pair.table.slotsOf(kind)) expect(pair.table.row(slot)).toBeDefined();
    }),
    { numRuns: 150 },
  );
});
