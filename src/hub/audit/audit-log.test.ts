// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, test } from "vitest";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { silentLogger } from "../../base/log.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { createStore } from "../../store/create-store.ts";
import { put, remove, type Store } from "../../store/store.ts";
import { auditRecords, objects, rootWorkspace, sessionEvents, sessions } from "../../store/tables.ts";
import { MemoryEngine } from "../../store/testing/memory-engine.ts";
import { AuditLog } from "./audit-log.ts";
import { type Actor, type AuditEntry, auditId } from "./audit-record.ts";
import { listAudit } from "./read-audit.ts";
import { trimAudit } from "./trim-audit.ts";
import { verifyAudit } from "./verify-audit.ts";

const alice: Actor = { user: "alice", tokenId: "tok_a", address: "127.0.0.1", requestId: "req_1" };
const everything = { cluster: "", actor: "", action: "", sinceMs: 0 };
const dayMs = 86_400_000;

let clock: ManualClock;
let store: Store;
let audit: AuditLog;

beforeEach(async () => {
  clock = new ManualClock();
  store = await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_test" })), {
    clock,
    bookmarkMs: 365 * dayMs,
  });
  audit = new AuditLog({ store, clock, log: silentLogger });
});

function pausing(cluster: string, isPaused = true): AuditEntry {
  return {
    action: isPaused ? "cluster.pause" : "cluster.resume",
    targetKind: "cluster",
    target: cluster,
    before: { paused: String(!isPaused), labels: "a=b" },
    after: { paused: String(isPaused), labels: "a=b" },
  };
}

/** Any row will do: what matters is that it is written with the record or not at all. */
function someWrite(id: string, expect: "any" | "absent" = "any") {
  const value = {
    agent_id: id,
    agent_version: "",
    address: "",
    epoch: 1,
    incarnation: "",
    state: "live",
    connected_at_ms: 0,
    ended_at_ms: null,
  };
  return put(sessions, [rootWorkspace, id, "x"], value, expect);
}

async function allRecords() {
  return (await listAudit(store, everything, { fromSeq: undefined, limit: 10_000 })).records;
}

describe("appending", () => {
  test("[AU1, AU2] a change and its record are written together, with only the fields that changed", async () => {
    const outcome = await audit.commit([someWrite("a")], [pausing("east")], alice);
    expect(outcome.kind).toBe("committed");
    expect(await store.get(sessions, [rootWorkspace, "a", "x"])).toBeDefined();
    expect(await allRecords()).toMatchObject([
      {
        seq: 1,
        actor: alice,
        action: "cluster.pause",
        target: "east",
        oldValue: '{"paused":"false"}',
        newValue: '{"paused":"true"}',
      },
    ]);
  });

  test("[AU1] a change whose expectation fails leaves no record, and its caller gets the conflict", async () => {
    await audit.commit([someWrite("a", "absent")], [pausing("east")], alice);
    const outcome = await audit.commit([someWrite("b"), someWrite("a", "absent")], [pausing("west")], alice);
    expect(outcome).toMatchObject({ kind: "conflict", writeIndex: 1 });
    expect(await allRecords()).toHaveLength(1);
    expect(await store.get(sessions, [rootWorkspace, "b", "x"])).toBeUndefined();
  });

  test("[AU1] the revisions of an outcome are those of the caller's writes", async () => {
    const outcome = await audit.commit([someWrite("a"), someWrite("b")], [pausing("east")], alice);
    expect(outcome.kind === "committed" && outcome.revisions).toHaveLength(2);
  });

  test("[AU4] records of one commit and of commits at once follow each other without gaps", async () => {
    await audit.commit([], [pausing("a"), pausing("b")], alice);
    await Promise.all(["c", "d", "e"].map((name) => audit.commit([], [pausing(name)], alice)));
    const records = (await allRecords()).toReversed();
    expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(records.map(({ previousHash }) => previousHash)).toEqual([
      "",
      ...records.slice(0, -1).map(({ hash }) => hash),
    ]);
  });

  test("[AU5] two hubs on one store extend one chain", async () => {
    const other = new AuditLog({ store, clock, log: silentLogger });
    for (const each of [audit, other, other, audit]) await each.commit([], [pausing("east")], alice);
    await Promise.all([audit, other].map((each) => each.commit([], [pausing("west")], alice)));
    expect(await verifyAudit(store)).toMatchObject({ recordCount: 6, lastSeq: 6, problem: undefined });
  });

  test("[AU9] a change of a cluster is a line of its history, written in the same commit; other changes are not", async () => {
    await audit.commit([], [pausing("east")], alice);
    await audit.commit([], [{ ...pausing("tok_1"), action: "token.create", targetKind: "token" }], alice);
    const { rows } = await store.list(sessionEvents, { prefix: [rootWorkspace] });
    expect(rows.map(({ key, value }) => [key[1], value.what, value.reason, value.sentence])).toEqual([
      ["east", "administered", "cluster.pause", "paused by alice"],
    ]);
  });

  test("[AU9, CL1] the removal is a line of the history that is kept, so a later cluster of the name is told apart", async () => {
    await audit.commit([], [{ ...pausing("east"), action: "cluster.remove" }], alice);
    await audit.commit([], [{ ...pausing("east"), action: "cluster.join" }], alice);
    const { rows } = await store.list(sessionEvents, { prefix: [rootWorkspace, "east"] });
    expect(rows.map(({ value }) => value.sentence)).toEqual(["removed by alice", "joined by alice"]);
  });

  test("listeners hear of each record once it is durable", async () => {
    const heard: number[] = [];
    const unlisten = audit.listen(({ seq }) => heard.push(seq));
    await audit.commit([], [pausing("east")], alice);
    unlisten();
    await audit.commit([], [pausing("east", false)], alice);
    expect(heard).toEqual([1]);
  });
});

describe("verifying", () => {
  async function tamper(seq: number, change: (value: Readonly<Record<string, unknown>>) => object): Promise<void> {
    const key = [rootWorkspace, auditId(seq)];
    const row = await store.get(auditRecords, key);
    if (row === undefined) throw new Error("no such record");
    await store.commit([put(auditRecords, key, { ...row.value, ...change(row.value) })]);
  }

  beforeEach(async () => {
    for (const name of ["a", "b", "c"]) await audit.commit([], [pausing(name)], alice);
  });

  test("[AU6] an untouched log is whole, also an empty one, and names its newest hash", async () => {
    const [newest] = await allRecords();
    expect(await verifyAudit(store)).toEqual({
      recordCount: 3,
      firstSeq: 1,
      lastSeq: 3,
      lastHash: newest?.hash,
      problem: undefined,
    });
    const empty = await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_empty" })), { clock });
    expect(await verifyAudit(empty)).toMatchObject({ recordCount: 0, problem: undefined });
    await empty.close();
  });

  test.each([
    ["a changed actor", () => tamper(2, () => ({ actor: "mallory" })), "record 2 was changed"],
    [
      "a changed value with its own hash made anew",
      () => tamper(2, () => ({ hash: "0".repeat(64) })),
      "record 2 was changed",
    ],
    [
      "a record taken out",
      () => store.commit([remove(auditRecords, [rootWorkspace, auditId(2)])]),
      "record 2 is missing",
    ],
    [
      "the newest taken off",
      () => store.commit([remove(auditRecords, [rootWorkspace, auditId(3)])]),
      "record 3 is missing",
    ],
    [
      "the oldest taken off",
      () => store.commit([remove(auditRecords, [rootWorkspace, auditId(1)])]),
      "record 1 is missing",
    ],
  ])("[AU6] %s is found", async (_what, attack, problem) => {
    await attack();
    expect((await verifyAudit(store)).problem).toContain(problem);
  });

  test("[AU6] a noted record is looked up", async () => {
    const second = (await allRecords()).find(({ seq }) => seq === 2);
    expect((await verifyAudit(store, { seq: 2, hash: second?.hash ?? "" })).problem).toBeUndefined();
    expect((await verifyAudit(store, { seq: 2, hash: "f".repeat(64) })).problem).toContain("rewritten");
    expect((await verifyAudit(store, { seq: 9, hash: "f".repeat(64) })).problem).toContain(
      "record 9 is not in the log",
    );
  });
});

describe("retention", () => {
  const trimming = () => ({ store, audit, clock, retentionMs: 10 * dayMs });

  test("[AU7] the oldest records go a day after their time, a record of that stays, and the chain still proves its start", async () => {
    await audit.commit([], [pausing("a"), pausing("b")], alice);
    await clock.advance(8 * dayMs);
    await audit.commit([], [pausing("c")], alice);
    await clock.advance(2.5 * dayMs);
    expect(await trimAudit(trimming())).toBe(0);
    await clock.advance(dayMs);
    expect(await trimAudit(trimming())).toBe(2);
    expect((await allRecords()).map(({ seq, action }) => [seq, action])).toEqual([
      [4, "audit.trim"],
      [3, "cluster.pause"],
    ]);
    expect(await verifyAudit(store)).toMatchObject({ recordCount: 2, firstSeq: 3, lastSeq: 4, problem: undefined });
    expect(await trimAudit(trimming())).toBe(0);
  });

  test("[ST44] a hub that has lost the fleet's tasks trims nothing", async () => {
    await audit.commit([], [pausing("a"), pausing("b")], alice);
    await clock.advance(10 * dayMs);
    await store.leases.acquire("fleet-tasks", "hub-b run", 60_000);
    expect(await trimAudit(trimming(), { lease: "fleet-tasks", epoch: 0n })).toBe(0);
    expect(await verifyAudit(store)).toMatchObject({ recordCount: 2, firstSeq: 1 });
  });

  test("[ST26] an append of a hub that has lost its lease writes nothing, also one without records", async () => {
    await store.leases.acquire("fleet-tasks", "hub-b run", 60_000);
    const write = put(objects, [rootWorkspace, "things", "", "a"], { body: new Uint8Array() });
    const fence = { lease: "fleet-tasks", epoch: 0n };
    expect(await audit.append([write], () => [], alice, { fence })).toMatchObject({ kind: "fenced" });
    expect(await audit.append([write], () => [pausing("a")], alice, { fence })).toMatchObject({ kind: "fenced" });
    expect(await store.get(objects, write.key)).toBeUndefined();
  });

  test("[AU7] a start that was cut off without a record of it is found", async () => {
    await audit.commit([], [pausing("a"), pausing("b"), pausing("c")], alice);
    const cutting = remove(auditRecords, [rootWorkspace, auditId(1)]);
    await audit.append([cutting], () => [pausing("d")], alice, { changeHead: (head) => ({ ...head, first_seq: 2 }) });
    expect((await verifyAudit(store)).problem).toContain("records before 2 are gone");
  });
});

describe("reading", () => {
  beforeEach(async () => {
    for (let each = 0; each < 3; each += 1) {
      await audit.commit([], [pausing(`c${each}`)], each === 1 ? { ...alice, user: "bob" } : alice);
      await clock.advance(60_000);
    }
  });

  async function seqs(filter: Partial<typeof everything>): Promise<number[]> {
    const { records } = await listAudit(store, { ...everything, ...filter }, { fromSeq: undefined, limit: 10 });
    return records.map(({ seq }) => seq);
  }

  test("[AU8] records come newest first, by cluster, actor, action and age", async () => {
    expect(await seqs({})).toEqual([3, 2, 1]);
    expect(await seqs({ cluster: "c1" })).toEqual([2]);
    expect(await seqs({ actor: "alice" })).toEqual([3, 1]);
    expect(await seqs({ action: "cluster" })).toEqual([3, 2, 1]);
    expect(await seqs({ action: "cluster.resume" })).toEqual([]);
    expect(await seqs({ sinceMs: clock.wallMs() - 125_000 })).toEqual([3, 2]);
  });

  test("[AU8] pages meet every record once", async () => {
    const met: number[] = [];
    for (let fromSeq: number | undefined; ; ) {
      const page = await listAudit(store, everything, { fromSeq, limit: 1 });
      met.push(...page.records.map(({ seq }) => seq));
      if (page.nextSeq === undefined) break;
      fromSeq = page.nextSeq;
    }
    expect(met).toEqual([3, 2, 1]);
  });
});
