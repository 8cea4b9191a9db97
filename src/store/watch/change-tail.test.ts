// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { EngineChange } from "../store-engine.ts";
import { joinKey, joinPrefix } from "../table.ts";
import { objects } from "../tables.ts";
import { ChangeTail } from "./change-tail.ts";

function change(revision: number, table = "objects", bytes = 1000): EngineChange {
  return { revision, table, key: "k", isDelete: false, previousRevision: 0, body: new Uint8Array(bytes) };
}

const prefixOf = (...parts: readonly string[]): string => joinPrefix(objects, parts);

function objectChange(revision: number, workspace: string, name = "n"): EngineChange {
  return { ...change(revision), key: joinKey(objects, [workspace, "configmaps", "default", name]) };
}

const revisions = (changes: readonly EngineChange[] | undefined): readonly number[] | undefined =>
  changes?.map(({ revision }) => revision);

describe("the shared tail", () => {
  test("[ST15] it never holds more bytes than its limit, and returns undefined for removed changes", () => {
    const tail = new ChangeTail(0, 10_000);
    for (let revision = 1; revision <= 5000; revision += 1) {
      tail.append([change(revision)]);
      expect(tail.byteLength).toBeLessThanOrEqual(10_000);
    }
    expect(tail.revision).toBe(5000);
    expect(revisions(tail.since("objects", "", 4998))).toEqual([4999, 5000]);
    expect(tail.since("objects", "", 100)).toBeUndefined();
    expect(tail.since("objects", "", 5000)).toEqual([]);
  });

  test("[ST15] a change that has left it can be freed at once, not when a thousand more have", async () => {
    const tail = new ChangeTail(0, 1500);
    const leaving = new WeakRef(change(1));
    appendOnce(tail, leaving);
    tail.append([change(2)]);
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(leaving.deref()).toBeUndefined();
  });

  test("[ST15] a quiet table is followed from the tail, however many changes of others have left it", () => {
    const tail = new ChangeTail(0, 10_000);
    tail.append([change(1, "tokens")]);
    for (let revision = 2; revision <= 100; revision += 1) tail.append([change(revision)]);
    expect(tail.since("tokens", "", 0)).toBeUndefined();
    expect(tail.since("tokens", "", 1)).toEqual([]);
    tail.append([change(101, "tokens")]);
    expect(revisions(tail.since("tokens", "", 1))).toEqual([101]);
    expect(revisions(tail.since("tokens", "", 100))).toEqual([101]);
  });

  test("[AP40] a quiet workspace is followed from the tail, however many changes of other workspaces have left it", () => {
    const tail = new ChangeTail(0, 10_000);
    tail.append([objectChange(1, "quiet")]);
    for (let revision = 2; revision <= 100; revision += 1) tail.append([objectChange(revision, "busy")]);
    expect(tail.since("objects", prefixOf("quiet"), 0)).toBeUndefined();
    expect(tail.since("objects", prefixOf("quiet"), 1)).toEqual([]);
    expect(tail.since("objects", prefixOf("new"), 0)).toEqual([]);
    expect(tail.since("objects", "", 1)).toBeUndefined();
    tail.append([objectChange(101, "quiet")]);
    expect(revisions(tail.since("objects", prefixOf("quiet"), 1))).toEqual([101]);
    expect(revisions(tail.since("objects", prefixOf("quiet", "configmaps"), 1))).toEqual([101]);
    expect(revisions(tail.since("objects", "", 99))).toEqual([100, 101]);
  });

  test("[AP40] of more workspaces than it remembers, it sends the forgotten ones to the log and loses nothing", () => {
    const tail = new ChangeTail(0, 1);
    const count = 20_000;
    for (let revision = 1; revision <= count; revision += 1) tail.append([objectChange(revision, `w${revision}`)]);
    expect(tail.since("objects", prefixOf("w1"), 0)).toBeUndefined();
    expect(tail.since("objects", prefixOf("unseen"), 0)).toBeUndefined();
    expect(tail.since("objects", prefixOf(`w${count}`), count - 1)).toBeUndefined();
    for (const workspace of ["w1", "unseen", `w${count}`])
      expect(tail.since("objects", prefixOf(workspace), count)).toEqual([]);
  });

  test("[ST13] it returns undefined for revisions before its start", () => {
    const tail = new ChangeTail(50, 10_000);
    expect(tail.since("objects", "", 49)).toBeUndefined();
    expect(tail.since("objects", "", 50)).toEqual([]);
    tail.append([change(51)]);
    expect(tail.since("objects", "", 49)).toBeUndefined();
    expect(revisions(tail.since("objects", "", 50))).toEqual([51]);
  });

  test("[ST15] a single change larger than the tail passes through it and wakes its watches", () => {
    const tail = new ChangeTail(0, 100);
    let woken = 0;
    tail.onChange("objects", "", () => {
      woken += 1;
    });
    tail.append([change(1)]);
    expect(woken).toBe(1);
    expect(tail.byteLength).toBe(0);
    expect(tail.since("objects", "", 0)).toBeUndefined();
    expect(tail.since("objects", "", 1)).toEqual([]);
  });

  test("[ST3] a gap in the line is a bug and stops at once", () => {
    const tail = new ChangeTail(0, 10_000);
    expect(() => tail.append([change(2)])).toThrow("without a gap");
  });

  test("only watches of the changed table are woken, and only until they leave", () => {
    const tail = new ChangeTail(0, 10_000);
    const woken: string[] = [];
    tail.onChange("tokens", "", () => woken.push("tokens"));
    const leave = tail.onChange("objects", "", () => woken.push("objects"));
    tail.append([change(1)]);
    leave();
    tail.append([change(2)]);
    expect(woken).toEqual(["objects"]);
  });

  test("[AP40] only watches of a prefix that covers a changed key are woken, each once for one commit", () => {
    const tail = new ChangeTail(0, 10_000);
    const woken: string[] = [];
    const prefixes: Readonly<Record<string, readonly string[]>> = {
      table: [],
      workspace: ["a"],
      resource: ["a", "configmaps"],
      namespace: ["a", "configmaps", "default"],
      object: ["a", "configmaps", "default", "x"],
      otherObject: ["a", "configmaps", "default", "xy"],
      otherResource: ["a", "secrets"],
      otherWorkspace: ["ab"],
    };
    for (const [name, parts] of Object.entries(prefixes))
      tail.onChange("objects", prefixOf(...parts), () => woken.push(name));
    tail.append([objectChange(1, "a", "x"), objectChange(2, "a", "z")]);
    expect(woken).toEqual(["table", "workspace", "resource", "namespace", "object"]);
  });

  test("[AP40] a waiter for a revision is woken by the change that reaches it, and by none before", () => {
    const tail = new ChangeTail(0, 10_000);
    let wokenAt = 0;
    const stop = tail.onRevision(3, () => {
      wokenAt = tail.revision;
    });
    tail.append([objectChange(1, "a")]);
    tail.append([objectChange(2, "a")]);
    expect(wokenAt).toBe(0);
    tail.append([objectChange(3, "a"), objectChange(4, "a")]);
    expect(wokenAt).toBe(4);
    stop();
    tail.append([objectChange(5, "a")]);
    expect(wokenAt).toBe(4);
  });
});

// In a function of its own, so that no variable of the test keeps the change alive.
function appendOnce(tail: ChangeTail, reference: WeakRef<EngineChange>): void {
  const one = reference.deref();
  if (one !== undefined) tail.append([one]);
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}
