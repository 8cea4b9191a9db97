// SPDX-License-Identifier: Apache-2.0

import { afterEach, beforeEach, expect, test } from "vitest";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { createStore } from "../../store/create-store.ts";
import { put, remove, type Store } from "../../store/store.ts";
import { rootWorkspace, tokens } from "../../store/tables.ts";
import { MemoryEngine } from "../../store/testing/memory-engine.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { type DerivedToken, TokenRegistry } from "./token-registry.ts";

const hourMs = 3_600_000;
const alice = { user: "alice", groups: ["flotilla:viewers"], description: "", ttlMs: undefined };

let clock: ManualClock;
let store: Store;
let registry: TokenRegistry;
const stops: (() => Promise<void>)[] = [];

async function startRegistry(seed: string): Promise<TokenRegistry> {
  const audit = new AuditLog({ store, clock, log: silentLogger });
  const made = new TokenRegistry({ store, audit, clock, random: createSeededRandom(seed), log: silentLogger });
  const stop = new AbortController();
  const running = made.run(stop.signal);
  stops.push(async () => {
    stop.abort(new Error("done"));
    await expect(running).rejects.toThrow("done");
  });
  await made.loaded;
  return made;
}

beforeEach(async () => {
  clock = new ManualClock();
  const engine = new MemoryEngine({ clock, storeId: "st_test" });
  store = await createStore(createInThreadPort(engine), { clock, bookmarkMs: 365 * 24 * hourMs });
  registry = await startRegistry("first");
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await store.close();
  expect(clock.timerCount).toBe(0);
});

function loginOf(parentId: string): DerivedToken {
  return { user: "alice", groups: ["flotilla:viewers"], description: "login", parentId, ttlMs: 12 * hourMs };
}

const kindOf = (text: string, of = registry): string => {
  const result = of.verify(text);
  return result.kind === "refused" ? result.reason : "verified";
};

test("[PG1] a derived token has a secret and an end of its own, and proves the same user and groups", async () => {
  const parent = await registry.create(alice);
  const child = await registry.derive(loginOf(parent.record.id));
  expect(child.text).not.toBe(parent.text);
  expect(registry.verify(child.text)).toMatchObject({
    kind: "verified",
    tokenId: child.record.id,
    subject: { user: "alice", groups: ["flotilla:viewers", "system:authenticated"] },
  });
  await clock.advance(12 * hourMs - 1);
  expect(kindOf(child.text)).toBe("verified");
  await clock.advance(1);
  expect(kindOf(child.text)).toBe("expired");
  expect(kindOf(parent.text)).toBe("verified");
});

test("[PG1] it ends no later than its parent", async () => {
  const parent = await registry.create({ ...alice, ttlMs: hourMs });
  const child = await registry.derive(loginOf(parent.record.id));
  expect(child.record.expiresAtMs).toBe(parent.record.expiresAtMs);
});

test("[PG1] revoking the parent ends it at once, with what was opened with it, and leaves no row", async () => {
  const parent = await registry.create(alice);
  const child = await registry.derive(loginOf(parent.record.id));
  const verified = registry.verify(child.text);
  await registry.revoke(parent.record.id);
  expect(verified.kind === "verified" && verified.ended.aborted).toBe(true);
  expect(kindOf(child.text)).not.toBe("verified");
  expect((await store.list(tokens)).rows).toEqual([]);
});

test("[PG1] revoking the parent elsewhere ends it too, here and after a restart, though its row was left", async () => {
  const parent = await registry.create(alice);
  const child = await registry.derive(loginOf(parent.record.id));
  const verified = registry.verify(child.text);
  await store.commit([remove(tokens, [rootWorkspace, parent.record.id])]);
  await settle();
  expect(verified.kind === "verified" && verified.ended.aborted).toBe(true);
  expect(kindOf(child.text)).toBe("revoked");
  const later = await startRegistry("later");
  expect(kindOf(child.text, later)).toBe("revoked");
});

test("[PG1] a restarted hub knows both, and that one ends with the other", async () => {
  const parent = await registry.create(alice);
  const child = await registry.derive(loginOf(parent.record.id));
  const later = await startRegistry("later");
  const verified = later.verify(child.text);
  expect(verified.kind).toBe("verified");
  await later.revoke(parent.record.id);
  expect(verified.kind === "verified" && verified.ended.aborted).toBe(true);
  await settle();
  expect(kindOf(child.text)).not.toBe("verified");
});

test("revoking it leaves the parent and its other children", async () => {
  const parent = await registry.create(alice);
  const [one, other] = [
    await registry.derive(loginOf(parent.record.id)),
    await registry.derive(loginOf(parent.record.id)),
  ];
  await registry.revoke(one.record.id);
  expect([kindOf(one.text), kindOf(other.text), kindOf(parent.text)]).toEqual(["unknown", "verified", "verified"]);
});

test("[PG1] nothing is derived from a token that is unknown, expired, or was revoked elsewhere a moment ago", async () => {
  await expect(registry.derive(loginOf("tok_none"))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  const short = await registry.create({ ...alice, ttlMs: 1_000 });
  await clock.advance(1_000);
  await expect(registry.derive(loginOf(short.record.id))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  const parent = await registry.create(alice);
  const removing = store.commit([remove(tokens, [rootWorkspace, parent.record.id])]);
  const deriving = registry.derive(loginOf(parent.record.id));
  await expect(deriving).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await removing;
  expect((await store.list(tokens)).rows.map(({ value }) => value.parent_id)).not.toContain(parent.record.id);
});

test("a login takes the rows of ended logins with it", async () => {
  const parent = await registry.create(alice);
  await registry.derive(loginOf(parent.record.id));
  await registry.derive(loginOf(parent.record.id));
  await clock.advance(12 * hourMs);
  const last = await registry.derive(loginOf(parent.record.id));
  const rows = (await store.list(tokens)).rows.map(({ key }) => key[1]);
  expect(new Set(rows)).toEqual(new Set([parent.record.id, last.record.id]));
  expect(rows).toHaveLength(2);
});

test("of more than 256 logins of one token the oldest ends, and those of other tokens stay", async () => {
  const [parent, other] = [await registry.create(alice), await registry.create(alice)];
  const elsewhere = await registry.derive(loginOf(other.record.id));
  const texts: string[] = [];
  for (let each = 0; each < 257; each += 1) {
    await clock.advance(1);
    texts.push((await registry.derive(loginOf(parent.record.id))).text);
  }
  expect(texts.map((text) => kindOf(text)).filter((kind) => kind !== "verified")).toEqual(["unknown"]);
  expect(kindOf(texts[0] ?? "")).toBe("unknown");
  expect(kindOf(elsewhere.text)).toBe("verified");
});

test("[U-13] a token whose row was written anew, as a login does after an upgrade, still ends what it had opened", async () => {
  const parent = await registry.create(alice);
  const verified = registry.verify(parent.text);
  const [row] = (await store.list(tokens)).rows;
  if (row === undefined) throw new Error("the token has no row");
  await store.commit([put(tokens, row.key, { ...row.value, description: "another" })]);
  await settle();
  expect(registry.get(parent.record.id)?.description).toBe("another");
  expect(verified.kind === "verified" && verified.ended.aborted).toBe(false);
  await registry.revoke(parent.record.id);
  expect(verified.kind === "verified" && verified.ended.aborted).toBe(true);
});

test("a login goes through though the row of its token was written anew a moment ago", async () => {
  const parent = await registry.create(alice);
  const [row] = (await store.list(tokens)).rows;
  if (row === undefined) throw new Error("the token has no row");
  const rewriting = store.commit([put(tokens, row.key, { ...row.value, description: "another" })]);
  const child = await registry.derive(loginOf(parent.record.id));
  await rewriting;
  expect(kindOf(child.text)).toBe("verified");
});
