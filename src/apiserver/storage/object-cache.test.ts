// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { eventTexts, TestStorage, testCluster, toConfigMap } from "../../../test/support/api-storage.ts";
import { put, remove } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import type { ObjectChange } from "../resources/object-reader.ts";
import { encodeBody } from "./stored-body.ts";

const keyOf = (name: string, cluster: string = testCluster): readonly string[] => [
  cluster,
  "configmaps",
  "default",
  name,
];
const bodyOf = (name: string, value: string): { body: Uint8Array } => ({
  body: encodeBody(toConfigMap({ name, value })),
});

test("reach waits for a revision that is not here yet, and no longer", async () => {
  await using storage = await TestStorage.open();
  let isReached = false;
  const reached = storage.cache.reach(2).then(() => (isReached = true));
  await storage.put({ name: "a" });
  expect(isReached).toBe(false);
  await storage.put({ name: "b" });
  await reached;
  await storage.cache.reach(1);
});

test("reach rejects with the reason of its signal and leaves no waiter", async () => {
  await using storage = await TestStorage.open();
  const gone = new AbortController();
  const reached = storage.cache.reach(99, gone.signal);
  gone.abort(new Error("the client has gone"));
  await expect(reached).rejects.toThrow("the client has gone");
  await expect(storage.cache.reach(99, gone.signal)).rejects.toThrow("the client has gone");
});

test("waiters are rejected once the store is no longer followed", async () => {
  await using storage = await TestStorage.open();
  await storage.put({ name: "a" });
  const waiting = storage.cache.reach(99);
  storage.closing.abort(new Error("closing"));
  await expect(waiting).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await storage.failed;
  await expect(storage.cache.reach(99)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(storage.put({ name: "late" })).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await storage.cache.reach(1);
});

test("[AP40] commits of other logical clusters are not seen, and the cache passes them when it is asked to", async () => {
  await using storage = await TestStorage.open();
  await storage.put({ name: "a" });
  await storage.store.commit([put(objects, keyOf("foreign", "other"), bodyOf("foreign", "x"))]);
  expect(storage.cache.revision).toBe(1);
  await storage.cache.reachNewest();
  expect(storage.cache.revision).toBe(2);
  expect(storage.cache.list("configmaps")).toHaveLength(1);
});

test("listeners get every change in order, deletions with the revision of the deletion", async () => {
  await using storage = await TestStorage.open();
  const changes: ObjectChange[] = [];
  const stop = storage.cache.subscribe((change) => changes.push(change));
  await storage.put({ name: "a", value: "1" });
  await storage.put({ name: "b" });
  await storage.put({ name: "a", value: "2" });
  await storage.remove("a");
  await storage.put({ name: "a", value: "3" });
  stop();
  await storage.remove("b");
  expect(eventTexts(changes)).toEqual(["ADDED a@1", "ADDED b@2", "MODIFIED a@3", "DELETED a@4", "ADDED a@5"]);
  expect(changes[3]).toMatchObject({
    resource: "configmaps",
    namespace: "default",
    name: "a",
    object: { data: { value: "2" } },
  });
});

test("[AP4] a notified listener reads the change, and all changes of one commit in order", async () => {
  await using storage = await TestStorage.open();
  await storage.put({ name: "old" });
  const seen: string[] = [];
  const stop = storage.cache.subscribe(({ name, type, object }) => {
    const isThere = storage.cache.get("configmaps", "default", name) !== undefined;
    seen.push(`${type} ${name} ${isThere} ${JSON.stringify(object["data"] ?? null)}`);
  });
  await storage.store.commit([
    put(objects, keyOf("z"), bodyOf("z", "1")),
    remove(objects, keyOf("old")),
    put(objects, keyOf("a"), bodyOf("a", "2")),
  ]);
  await storage.cache.reach(4);
  stop();
  expect(seen).toEqual(['ADDED z true {"value":"1"}', "DELETED old false null", 'ADDED a true {"value":"2"}']);
});

test("a new cache over the same store has the same objects at the same revisions", async () => {
  await using storage = await TestStorage.open();
  for (let index = 0; index < 30; index += 1) await storage.put({ name: `o${index % 11}`, value: `${index}` });
  await storage.remove("o3");
  await using restarted = await TestStorage.open({ over: storage });
  expect(restarted.cache.revision).toBe(storage.cache.revision);
  expect(restarted.cache.list("configmaps")).toEqual(storage.cache.list("configmaps"));
  expect(restarted.cache.resourceNames()).toEqual(["configmaps"]);
  expect(restarted.cache.resource("configmaps").count).toBe(10);
});

test("[AP7] a watch from before a restart goes on where it was", async () => {
  await using storage = await TestStorage.open();
  const from = await storage.put({ name: "a" });
  await storage.put({ name: "b" });
  await storage.remove("a");
  await using restarted = await TestStorage.open({ over: storage });
  await using watch = restarted.watch(`resourceVersion=${from}`);
  expect(eventTexts(await watch.read())).toEqual(["ADDED b@2", "DELETED a@3"]);
  await restarted.put({ name: "c" });
  expect(eventTexts(await watch.read())).toEqual(["ADDED c@4"]);
});

test("after a restart over a compacted store, a watch goes on from the compaction and no earlier", async () => {
  await using storage = await TestStorage.open();
  for (let index = 1; index <= 10; index += 1) await storage.put({ name: "a", value: `${index}` });
  await storage.clock.advance(1000);
  const compacted = Number(await storage.store.compact({ olderThanMs: 0, keepCount: 3 }));
  await using restarted = await TestStorage.open({ over: storage });
  await using late = restarted.watch(`resourceVersion=${compacted - 1}`);
  expect(await late.read()).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
  await using watch = restarted.watch(`resourceVersion=${compacted}`);
  expect(eventTexts(await watch.read())).toEqual(["MODIFIED a@8", "MODIFIED a@9", "MODIFIED a@10"]);
});

test("what was never parsed is parsed when asked for: a small cache of parsed objects loses nothing", async () => {
  await using storage = await TestStorage.open({ parsedLimit: 2 });
  for (let index = 0; index < 20; index += 1) await storage.put({ name: `o${index}`, value: `${index}` });
  const values = storage.cache.list("configmaps").map((each) => (each["data"] as { value: string }).value);
  expect(new Set(values).size).toBe(20);
});
