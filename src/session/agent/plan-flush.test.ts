// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodeRowStream } from "../../model/row-batch/encode.ts";
import { bucketDigests, kindDigests, queueRequestedRows, rootDigests } from "./answer-digests.ts";
import { Outbox } from "./outbox.ts";
import { type FlushPlan, planFlush } from "./plan-flush.ts";
import type { RowTable } from "./row-table.ts";
import { hasher, sampleKind, sampleRow, sampleTable } from "./testing/sample-rows.ts";

const roles = "rbac.authorization.k8s.io/roles";
const bindings = "rbac.authorization.k8s.io/clusterrolebindings";
const key = (name: string): { namespace: string; name: string } => ({ namespace: "default", name });

function openKinds(...resources: string[]): { table: RowTable; outbox: Outbox } {
  const table = sampleTable();
  const outbox = new Outbox(table, () => 0);
  outbox.creditBytes = Number.MAX_SAFE_INTEGER;
  for (const resource of resources) {
    const kind = table.openKind(sampleKind(resource));
    kind.beginList();
    kind.endList();
  }
  return { table, outbox };
}

/** Bytes of a flush's batches, not compressed. */
function bytesOf(plan: FlushPlan): number {
  return plan.parts.reduce((sum, { kind, rows, deletes }) => {
    return sum + encodeRowStream({ ...kind.spec, rows, deletes }, hasher).length + kind.resource.length + 20;
  }, 0);
}

/** All plans until nothing waits. */
function planAll(table: RowTable, outbox: Outbox, maxBytes: number): FlushPlan[] {
  const plans: FlushPlan[] = [];
  for (let plan = planFlush(table, outbox, maxBytes, 0); plan; plan = planFlush(table, outbox, maxBytes, 0)) {
    plans.push(plan);
    outbox.send(plan.entries, 1, 0);
    outbox.acknowledge(outbox.lastSeq);
  }
  return plans;
}

test("[SE16] [N-57] flushes of other kinds stay within their bytes, even before compression; a single row may be larger", () => {
  const note = fc.tuple(fc.nat(600), fc.constantFrom("x", "é", "語")).map(([count, text]) => text.repeat(count));
  const change = fc.record({ resource: fc.constantFrom("pods", "services"), note, isBucket: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25, size: "max" }), (changes) => {
      const { table, outbox } = openKinds("pods", "services");
      for (const [at, { resource, note: text, isBucket }] of changes.entries()) {
        const name = `object-${at}`;
        table.openKind(sampleKind(resource)).upsert(sampleRow({ resource, name, note: text }));
        if (isBucket)
          queueRequestedRows(table, outbox, { kind: "needBuckets", resource, all: false, buckets: [at, at * 7] });
      }
      for (const plan of planAll(table, outbox, 2_000)) {
        const rowCount = plan.parts.reduce((sum, { rows }) => sum + rows.length, 0);
        expect(rowCount <= 1 || bytesOf(plan) <= 2_000).toBe(true);
      }
      expect(outbox.waitingCount).toBe(0);
    }),
    { numRuns: 25 },
  );
});

test("[L2] [SE16] grants that wait together go in one flush, before all others, however large they are", () => {
  const { table, outbox } = openKinds("pods", roles, bindings);
  for (let at = 0; at < 30; at += 1)
    for (const resource of ["pods", roles, bindings])
      table.openKind(sampleKind(resource)).upsert(sampleRow({ resource, name: `object-${at}`, note: "x".repeat(500) }));
  queueRequestedRows(table, outbox, { kind: "needBuckets", resource: roles, all: false, buckets: [1, 2, 3, 4, 5] });
  const [first, ...rest] = planAll(table, outbox, 4_000);
  const count = (plan: FlushPlan | undefined, resource: string): number =>
    plan?.parts.filter(({ kind }) => kind.resource === resource).reduce((sum, { rows }) => sum + rows.length, 0) ?? 0;
  expect([count(first, roles), count(first, bindings), count(first, "pods")]).toEqual([30, 30, 0]);
  expect(rest.reduce((sum, plan) => sum + count(plan, "pods"), 0)).toBe(30);
  expect(rest.every((plan) => count(plan, roles) + count(plan, bindings) === 0)).toBe(true);
});

test("[SE17] the end of an object and the beginning of another under its name are one part", () => {
  const { table, outbox } = openKinds("pods");
  const pods = table.openKind(sampleKind("pods"));
  pods.upsert(sampleRow({ name: "a", uid: "first" }));
  planAll(table, outbox, 10_000);
  pods.delete(key("a"), "first");
  pods.upsert(sampleRow({ name: "a", uid: "second" }));
  pods.delete(key("a"), "second");
  pods.upsert(sampleRow({ name: "a", uid: "third" }));
  const parts = planAll(table, outbox, 10_000).flatMap((plan) => plan.parts);
  expect(parts.length).toBe(1);
  expect(parts[0]?.deletes).toEqual([{ ...key("a"), uid: "first" }]);
  expect(Array.from(parts[0]?.rows ?? [], ({ uid }) => uid)).toEqual(["third"]);
});

test("[SE14] an object that comes and goes between two flushes leaves nothing to send and nothing behind", () => {
  const { table, outbox } = openKinds("pods");
  const pods = table.openKind(sampleKind("pods"));
  for (let at = 0; at < 1_000; at += 1) {
    pods.upsert(sampleRow({ name: `object-${at}` }));
    pods.delete(key(`object-${at}`), "");
    expect(outbox.waitingCount).toBe(0);
  }
  expect(planFlush(table, outbox, 10_000, 0)).toBeUndefined();
});

test("[SE26] [L4] a bucket of a kind whose list was not completed is not replaced, whatever the hub asks", () => {
  const { table, outbox } = openKinds("pods");
  const nodes = table.openKind(sampleKind("nodes"));
  nodes.beginList();
  nodes.upsert(sampleRow({ resource: "nodes", name: "n1" }));
  const need = { kind: "needBuckets", resource: "nodes", all: false, buckets: [0, 1] } as const;
  expect(queueRequestedRows(table, outbox, need)).toBe(false);
  expect(queueRequestedRows(table, outbox, { ...need, all: true })).toBe(false);
  expect(queueRequestedRows(table, outbox, { ...need, resource: "__proto__" })).toBe(false);
  expect(planFlush(table, outbox, 10_000, 0)).toBeUndefined();
});

test("[SE23] [SE25] digests are of complete kinds alone, and of empty ones too; all rows wait when the hub holds none", () => {
  const empty = sampleTable();
  empty.openKind(sampleKind("pods")).beginList();
  expect([rootDigests(empty), kindDigests(empty), bucketDigests(empty, new Set(["pods"]))]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const { table, outbox } = openKinds("services");
  const pods = table.openKind(sampleKind("pods"));
  pods.beginList();
  for (const name of ["a", "b"]) pods.upsert(sampleRow({ name }));
  expect(outbox.waitingCount).toBe(0);
  pods.endList();
  expect(outbox.takeCompleted().map(({ resource }) => resource)).toEqual(["services", "pods"]);
  expect(kindDigests(table)?.kinds?.map(({ resource, rowCount }) => [resource, rowCount])).toEqual([
    ["services", 0n],
    ["pods", 2n],
  ]);
  expect(bucketDigests(table, new Set(["pods"]))?.kinds?.[0]?.bucketSums?.length).toBe(1_024);
  queueRequestedRows(table, outbox, { kind: "needBuckets", resource: "pods", all: true, buckets: [] });
  const parts = planAll(table, outbox, 10_000).flatMap((plan) => plan.parts);
  expect(parts.map(({ rows, replacedBucket }) => [rows.length, replacedBucket])).toEqual([[2, undefined]]);
});
