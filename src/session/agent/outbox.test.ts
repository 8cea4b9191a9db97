// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { bucketDigests, kindDigests, queueRequestedRows, rootDigests } from "./answer-digests.ts";
import { maxFlightCount, Outbox } from "./outbox.ts";
import { planFlush } from "./plan-flush.ts";
import { sampleKind, sampleRow, sampleTable } from "./testing/sample-rows.ts";

class Rig {
  nowMs = 0;
  readonly table = sampleTable();
  readonly pods = this.table.openKind(sampleKind("pods"));
  readonly outbox = new Outbox(this.table, () => this.nowMs);

  constructor() {
    this.pods.beginList();
    this.pods.endList();
    this.outbox.creditBytes = 1_000;
  }

  /** Changes a row and sends what waits. */
  send(note: string, byteCount = 100): void {
    this.pods.upsert(sampleRow({ name: "a", note }));
    const plan = planFlush(this.table, this.outbox, 10_000, this.nowMs);
    if (plan !== undefined) this.outbox.send(plan.entries, byteCount, plan.sinceMs);
  }
}

test("[SE13] [SE15] a Welcome between what was acknowledged and what was sent resumes; any other leaves digests to tell", () => {
  const rig = new Rig();
  for (const note of ["1", "2", "3", "4"]) rig.send(note);
  rig.outbox.acknowledge(2);
  expect([rig.outbox.resume(3), rig.outbox.lastSeq, rig.outbox.waitingCount]).toEqual(["resumed", 3, 1]);
  expect([rig.outbox.resume(1), rig.outbox.lastSeq]).toEqual(["unsure", 1]);
  expect([rig.outbox.resume(8), rig.outbox.lastSeq]).toEqual(["unsure", 8]);
  expect([rig.outbox.resume(undefined), rig.outbox.lastSeq]).toEqual(["unsure", 0]);
  expect(rig.outbox.takeCompleted()).toEqual([rig.pods]);
  expect([rig.outbox.waitingCount, rig.outbox.unackedBytes, rig.outbox.flightCount]).toEqual([0, 0, 0]);
});

test("[SE20] what is under way stays within the credit; a flush larger than all of it goes alone; credit 0 means wait", () => {
  const rig = new Rig();
  rig.send("1", 600);
  expect([rig.outbox.canSend(400), rig.outbox.canSend(401)]).toEqual([true, false]);
  rig.outbox.acknowledge(1);
  expect(rig.outbox.canSend(5_000)).toBe(true);
  rig.outbox.creditBytes = 0;
  expect(rig.outbox.canSend(1)).toBe(false);
});

test("[L13] small flushes under way are bounded in number", () => {
  const rig = new Rig();
  for (let at = 0; at < maxFlightCount; at += 1) rig.send(`${at}`, 1);
  expect([rig.outbox.flightCount, rig.outbox.canSend(1)]).toEqual([maxFlightCount, false]);
});

test("[SE4] an acknowledgement of a flush that was never sent is told", () => {
  const rig = new Rig();
  rig.send("1");
  expect([rig.outbox.acknowledge(2), rig.outbox.acknowledge(1), rig.outbox.acknowledge(0)]).toEqual([
    false,
    true,
    true,
  ]);
});

test("[SE14] the age of what waits is that of the oldest change, also after its flush was lost", () => {
  const rig = new Rig();
  rig.nowMs = 1_000;
  rig.pods.upsert(sampleRow({ name: "a", note: "first" }));
  rig.nowMs = 2_000;
  rig.pods.upsert(sampleRow({ name: "a", note: "second" }));
  expect([rig.outbox.oldestWaitingSinceMs, rig.outbox.oldestUnackedSinceMs]).toEqual([1_000, 1_000]);
  rig.send("second");
  expect([rig.outbox.oldestWaitingSinceMs, rig.outbox.oldestUnackedSinceMs]).toEqual([undefined, 1_000]);
  rig.nowMs = 9_000;
  rig.outbox.resume(0);
  expect(rig.outbox.oldestWaitingSinceMs).toBe(1_000);
});

test("[SE36] another process's flush is news once, until something of our own goes out; our own and none are no news", () => {
  const rig = new Rig();
  const isNews = (incarnation: string, seq: number): boolean => rig.outbox.isOvertaken({ incarnation, seq }, "ours");
  expect([isNews("", 0), isNews("ours", 3)]).toEqual([false, false]);
  expect([isNews("theirs", 7), isNews("theirs", 7), isNews("ours", 1), isNews("theirs", 7)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect([isNews("theirs", 8), isNews("others", 8)]).toEqual([true, true]);
  // Numbers of an incarnation begin anew when it comes back, so its flush 8 may be another one by now.
  rig.send("1");
  expect(isNews("others", 8)).toBe(true);
});

test("[SE36] [SE25] a kind whose lists are doubted says and sends nothing until it was listed anew; then it is claimed by its digest", () => {
  const { table, outbox, pods } = new Rig();
  pods.upsert(sampleRow({ name: "a", note: "waits" }));
  pods.beginList();
  pods.invalidateLists();
  expect(outbox.resume(undefined)).toBe("unsure");
  pods.upsert(sampleRow({ name: "b", note: "of an old watch" }));
  expect([outbox.waitingCount, outbox.takeCompleted(), kindDigests(table), rootDigests(table)]).toEqual([
    0,
    [],
    undefined,
    undefined,
  ]);
  expect(queueRequestedRows(table, outbox, { kind: "needBuckets", resource: "pods", all: false, buckets: [1] })).toBe(
    false,
  );
  pods.beginList();
  pods.upsert(sampleRow({ name: "b", note: "of the new list" }));
  pods.endList();
  expect([pods.isComplete, pods.rowCount, outbox.waitingCount, outbox.takeCompleted()]).toEqual([true, 1, 0, [pods]]);
  expect(kindDigests(table)).toMatchObject({ kinds: [{ resource: "pods", rowCount: 1n }] });
});

test("[SE48] digests say that grants wait from the change of a role until it is sent, also while its flush is being made", () => {
  const table = sampleTable();
  const resource = "rbac.authorization.k8s.io/roles";
  const roles = table.openKind(sampleKind(resource));
  const outbox = new Outbox(table, () => 0);
  outbox.creditBytes = 1_000;
  roles.beginList();
  roles.endList();
  const doWait = (): readonly (boolean | undefined)[] => [
    rootDigests(table)?.grantsWait,
    kindDigests(table)?.grantsWait,
    bucketDigests(table, new Set([resource]))?.grantsWait,
  ];
  expect(doWait()).toEqual([false, false, false]);
  roles.upsert(sampleRow({ resource, name: "admin" }));
  expect(doWait()).toEqual([true, true, true]);
  const plan = planFlush(table, outbox, 10_000, 0);
  expect([outbox.waitingCount, ...doWait()]).toEqual([0, true, true, true]);
  outbox.send(plan?.entries ?? [], 100, 0);
  expect(doWait()).toEqual([false, false, false]);
});
