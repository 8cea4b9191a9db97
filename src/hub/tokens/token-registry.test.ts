// SPDX-License-Identifier: Apache-2.0

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { silentLogger } from "../../base/log.ts";
import { WaitQueue } from "../../base/queues/wait-queue.ts";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { createStore } from "../../store/create-store.ts";
import { remove, type Store } from "../../store/store.ts";
import { rootWorkspace, tokens, tokenUses } from "../../store/tables.ts";
import { MemoryEngine } from "../../store/testing/memory-engine.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { listAudit } from "../audit/read-audit.ts";
import { TokenRegistry } from "./token-registry.ts";

const everything = { cluster: "", actor: "", action: "", sinceMs: 0 };
const alice = { user: "alice", groups: ["flotilla:viewers"], description: "", ttlMs: undefined };

describe("token registry", () => {
  let clock: ManualClock;
  let store: Store;
  let registry: TokenRegistry;
  let stop: AbortController;
  let running: Promise<void>;
  let audit: AuditLog;

  beforeEach(async () => {
    clock = new ManualClock();
    store = await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_test" })), {
      clock,
      bookmarkMs: 365 * 86_400_000,
    });
    audit = new AuditLog({ store, clock, log: silentLogger });
    registry = new TokenRegistry({ store, audit, clock, random: createSeededRandom("tokens"), log: silentLogger });
    stop = new AbortController();
    running = registry.run(stop.signal);
    await registry.loaded;
  });

  afterEach(async () => {
    stop.abort(new Error("done"));
    await expect(running).rejects.toThrow("done");
    await store.close();
    expect(clock.timerCount).toBe(0);
  });

  test("[U-13] an issued token proves its user and groups, and the store does not hold it", async () => {
    const { record, text } = await registry.create(alice);
    expect(registry.verify(text)).toMatchObject({
      kind: "verified",
      tokenId: record.id,
      subject: { user: "alice", groups: ["flotilla:viewers", "system:authenticated"] },
    });
    const { rows } = await store.list(tokens);
    const secret = text.split("_").slice(2).join("_");
    expect(JSON.stringify(rows.map((row) => ({ ...row, revision: 0 })))).not.toContain(secret);
    expect(Buffer.from(rows[0]?.value.secret_hash ?? []).toString("latin1")).not.toContain(secret);
  });

  test("[CL21] the last use of a token is known at once and stored once a minute, not for each use; a refused use is none", async () => {
    const { record, text } = await registry.create(alice);
    expect(registry.lastUsedAtMs(record.id)).toBeUndefined();
    registry.verify(`${text.slice(0, -1)}${text.endsWith("A") ? "B" : "A"}`);
    expect(registry.lastUsedAtMs(record.id)).toBeUndefined();
    const { revision } = await store.list(tokens);
    for (let second = 0; second < 59; second += 1) {
      registry.verify(text);
      await clock.advance(1_000);
    }
    const lastMs = clock.wallMs() - 1_000;
    expect(registry.lastUsedAtMs(record.id)).toBe(lastMs);
    expect((await store.list(tokens)).revision).toBe(revision);
    await clock.advance(1_000);
    expect(await store.get(tokenUses, [rootWorkspace, record.id])).toMatchObject({ value: { used_at_ms: lastMs } });
    expect((await store.list(tokens)).revision).toBe(revision + 1n);
  });

  test("[CL21] the last use survives a restart of the hub, also one from just before it, and goes with the token", async () => {
    const { record, text } = await registry.create(alice);
    const { record: other, text: otherText } = await registry.create(alice);
    registry.verify(text);
    registry.verify(otherText);
    const usedMs = clock.wallMs();
    stop.abort(new Error("done"));
    await expect(running).rejects.toThrow("done");
    await store.commit([remove(tokens, [rootWorkspace, other.id])]);
    await clock.advance(3_600_000);
    registry = new TokenRegistry({ store, audit, clock, random: createSeededRandom("after"), log: silentLogger });
    stop = new AbortController();
    running = registry.run(stop.signal);
    await registry.loaded;
    expect(registry.lastUsedAtMs(record.id)).toBe(usedMs);
    expect((await store.list(tokenUses)).rows.map(({ key }) => key[1])).toEqual([record.id]);
    await registry.revoke(record.id);
    expect((await store.list(tokenUses)).rows).toEqual([]);
    expect(registry.lastUsedAtMs(record.id)).toBeUndefined();
  });

  test("[U-13] a revoked token fails on its next call and ends what was opened with it", async () => {
    const { record, text } = await registry.create(alice);
    const verified = registry.verify(text);
    expect(await registry.revoke(record.id)).toBe(true);
    expect(registry.verify(text)).toEqual({ kind: "refused", reason: "unknown" });
    expect(verified.kind === "verified" && verified.ended.aborted).toBe(true);
    expect(await registry.revoke(record.id)).toBe(false);
  });

  test("a token revoked by another process of the hub ends here too", async () => {
    const { record, text } = await registry.create(alice);
    const verified = registry.verify(text);
    await store.commit([remove(tokens, [rootWorkspace, record.id])]);
    await settle();
    expect(verified.kind === "verified" && verified.ended.aborted).toBe(true);
    expect(registry.verify(text).kind).toBe("refused");
  });

  test("[U-13] a token revoked here is not accepted again while the watch still delivers what came before", async () => {
    const released = new WaitQueue();
    // The watch delivers one change for each release.
    const slow = new Proxy(store, {
      get(target, name) {
        if (name === "watch")
          return async function* (...args: Parameters<Store["watch"]>) {
            for await (const { changes } of target.watch(...args))
              for (const change of changes) {
                await released.wait(undefined, args[1].signal);
                yield { changes: [change], revision: change.revision };
              }
          };
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
    const other = new TokenRegistry({
      store: slow,
      audit,
      clock,
      random: createSeededRandom("other"),
      log: silentLogger,
    });
    const otherRun = other.run(stop.signal);
    await other.loaded;
    await registry.create(alice);
    const { record, text } = await registry.create(alice);
    expect(await other.revoke(record.id)).toBe(true);
    for (let count = 0; count < 3; count += 1) {
      await settle();
      released.resolveFirst();
      await settle();
      expect(other.verify(text)).toEqual({ kind: "refused", reason: "unknown" });
    }
    stop.abort(new Error("done"));
    await expect(otherRun).rejects.toThrow("done");
  });

  test("a right id with a wrong secret is refused like an unknown id", async () => {
    const { text } = await registry.create(alice);
    const { text: other } = await registry.create(alice);
    const forged = `${text.slice(0, 25)}${other.slice(25)}`;
    expect(forged).not.toBe(text);
    expect(registry.verify(forged)).toEqual({ kind: "refused", reason: "unknown" });
    expect(registry.verify("flt_")).toEqual({ kind: "refused", reason: "unknown" });
  });

  test("a token expires by the clock, also when that is further away than one timer waits", async () => {
    const fortyDaysMs = 40 * 86_400_000;
    const { text } = await registry.create({ ...alice, ttlMs: fortyDaysMs });
    const verified = registry.verify(text);
    await clock.advance(fortyDaysMs - 1);
    expect(registry.verify(text).kind).toBe("verified");
    expect(verified.kind === "verified" && verified.ended.aborted).toBe(false);
    await clock.advance(1);
    expect(registry.verify(text)).toEqual({ kind: "refused", reason: "expired" });
    expect(verified.kind === "verified" && verified.ended.aborted).toBe(true);
  });

  test("[SQ10] a user has a valid token with groups until it expires or is revoked, also one derived from another", async () => {
    const isHeld = (...groups: readonly string[]): boolean => registry.hasValidToken("alice", groups);
    expect(isHeld()).toBe(false);
    const parent = await registry.create({ ...alice, groups: ["a", "b"], ttlMs: 60_000 });
    await registry.create({ ...alice, groups: ["c"] });
    expect([isHeld("a", "b", "system:authenticated"), isHeld("c"), isHeld("a", "c"), isHeld("d")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(registry.hasValidToken("bob", [])).toBe(false);
    await clock.advance(60_000);
    expect([isHeld("a"), isHeld("c")]).toEqual([false, true]);
    const renewed = await registry.create({ ...alice, groups: ["a"] });
    await registry.derive({ ...alice, groups: ["a"], parentId: renewed.record.id, ttlMs: 60_000 });
    await registry.revoke(parent.record.id);
    expect(isHeld("a")).toBe(true);
    await store.commit([remove(tokens, [rootWorkspace, renewed.record.id])]);
    await settle();
    expect(isHeld("a")).toBe(false);
  });

  test("a registry that starts later knows the tokens of the store", async () => {
    const { text } = await registry.create(alice);
    const second = new TokenRegistry({ store, audit, clock, random: createSeededRandom("second"), log: silentLogger });
    expect(() => second.verify(text)).toThrow("still loading");
    expect(() => second.hasValidToken("alice", [])).toThrow("still loading");
    const ending = new AbortController();
    const secondRun = second.run(ending.signal);
    await second.loaded;
    expect(second.verify(text).kind).toBe("verified");
    ending.abort(new Error("done"));
    await expect(secondRun).rejects.toThrow("done");
  });

  test("a registry that was passed by compaction lists again and misses no revocation", async () => {
    const { record, text } = await registry.create(alice);
    const second = new TokenRegistry({
      store: passedOnce(store, record.id),
      audit,
      clock,
      random: createSeededRandom("second"),
      log: silentLogger,
    });
    const ending = new AbortController();
    const secondRun = second.run(ending.signal);
    await second.loaded;
    await settle();
    expect(second.verify(text).kind).toBe("refused");
    ending.abort(new Error("done"));
    await expect(secondRun).rejects.toThrow("done");
  });
});

test("two workspaces in one database have tokens, revocations and audit records of their own", async () => {
  const clock = new ManualClock();
  const engine = new MemoryEngine({ clock, storeId: "st_shared" });
  const ending = new AbortController();
  const parts = await Promise.all(
    ["root", "team-b"].map(async (workspace) => {
      const store = await createStore(createInThreadPort(engine), { clock, workspace });
      const audit = new AuditLog({ store, clock, log: silentLogger });
      const random = createSeededRandom(workspace);
      const registry = new TokenRegistry({ store, audit, clock, random, log: silentLogger });
      const running = registry.run(ending.signal);
      await registry.loaded;
      return { store, registry, running, made: await registry.create({ ...alice, user: workspace }) };
    }),
  );
  const [root, teamB] = parts;
  if (root === undefined || teamB === undefined) expect.unreachable("both were made");
  expect(root.registry.verify(root.made.text).kind).toBe("verified");
  expect(root.registry.verify(teamB.made.text)).toEqual({ kind: "refused", reason: "unknown" });
  expect(teamB.registry.verify(root.made.text)).toEqual({ kind: "refused", reason: "unknown" });
  expect(await root.registry.revoke(teamB.made.record.id)).toBe(false);
  expect(teamB.registry.verify(teamB.made.text).kind).toBe("verified");
  for (const { store, made } of parts) {
    const audited = await listAudit(store, everything, { fromSeq: undefined, limit: 10 });
    expect(audited.records.map(({ seq, target }) => [seq, target])).toEqual([[1, made.record.id]]);
  }
  ending.abort(new Error("done"));
  await Promise.allSettled(parts.map(({ running }) => running));
  for (const { store } of parts) await store.close();
});

/**
 * The store as a watcher meets it whose first watch comes too late: the token is gone, and so is the change that says
 * so.
 */
function passedOnce(store: Store, tokenId: string): Store {
  let isFirst = true;
  return {
    storeId: store.storeId,
    workspace: store.workspace,
    revision: store.revision,
    oldestRevision: store.oldestRevision,
    leases: store.leases,
    noteCommitted: (revision) => store.noteCommitted(revision),
    commit: (writes, options) => store.commit(writes, options),
    get: (table, key, options) => store.get(table, key, options),
    list: (table, options) => store.list(table, options),
    cursor: (revision) => store.cursor(revision),
    compact: (options) => store.compact(options),
    rewrapBodies: () => store.rewrapBodies(),
    close: () => store.close(),
    async *watch(table, options) {
      if (isFirst) {
        isFirst = false;
        await store.commit([remove(tokens, [rootWorkspace, tokenId])]);
        await store.compact({ olderThanMs: -1, keepCount: 0 });
      }
      yield* store.watch(table, options);
    },
  };
}
