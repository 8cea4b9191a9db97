// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { HintRig } from "./testing/hint-rig.ts";

/** Two Pods whose rows are known, and watches that have fallen silent. */
async function startBehind(options: ConstructorParameters<typeof HintRig>[0] = {}): Promise<HintRig> {
  const hints = new HintRig(options);
  hints.put("cart", "Pending");
  hints.put("web", "Running");
  await hints.rig.clock.advance(5_000);
  hints.silenceWatches();
  return hints;
}

describe("[Q-33] [SE67] a hint", () => {
  test("refreshes the row of a changed object ahead of the watch, and nothing else", async () => {
    await using hints = await startBehind();
    hints.put("cart", "Running");
    hints.put("web", "Failed");
    expect(hints.phases()).toEqual({ cart: "Pending", web: "Running" });
    expect(await hints.hint("cart")).toBe("refreshed");
    expect(hints.phases()).toEqual({ cart: "Running", web: "Running" });
    expect(hints.metrics.value('flotilla_agent_hints_total{outcome="refreshed"}')).toBe(1);
  });

  test("brings the row of a new object", async () => {
    await using hints = await startBehind();
    hints.put("late", "Pending");
    expect(await hints.hint("late")).toBe("refreshed");
    expect(hints.phases()).toEqual({ cart: "Pending", late: "Pending", web: "Running" });
  });

  test("of an object that did not change, or only in what rows do not have, is unchanged", async () => {
    await using hints = await startBehind();
    expect(await hints.hint("cart")).toBe("unchanged");
    hints.put("cart", "Pending", { annotations: { "example.com/note": "new" } });
    expect(await hints.hint("cart")).toBe("unchanged");
  });

  test("[L4] of an object that is gone deletes nothing: only the watch or a list does", async () => {
    await using hints = await startBehind();
    hints.remove("cart");
    expect(await hints.hint("cart")).toBe("notFound");
    expect(hints.phases()).toEqual({ cart: "Pending", web: "Running" });
    await hints.rig.clock.advance(300_000);
    expect(hints.phases()).toEqual({ web: "Running" });
  });

  test("of an object that never was changes nothing", async () => {
    await using hints = await startBehind();
    expect(await hints.hint("none")).toBe("notFound");
    expect(hints.phases()).toEqual({ cart: "Pending", web: "Running" });
  });

  test("of an object that was deleted and made again takes the new one; the late delete of the old does not remove it", async () => {
    await using hints = new HintRig();
    hints.put("cart", "Pending");
    await hints.rig.clock.advance(5_000);
    const [old] = hints.rig.rowsOf(podKind);
    hints.silenceWatches();
    hints.remove("cart");
    hints.put("cart", "Running");
    expect(await hints.hint("cart")).toBe("refreshed");
    const [made] = hints.rig.rowsOf(podKind);
    expect(made?.uid).not.toBe(old?.uid);
    hints.rig.server.breakWatches("reset");
    await hints.rig.clock.advance(300_000);
    expect(hints.rig.rowsOf(podKind)).toMatchObject([{ name: "cart", uid: made?.uid }]);
  });
});

describe("[SE67] the row is left to list and watch", () => {
  test("if an event of the object came while it was read: the answer may be older", async () => {
    await using hints = new HintRig();
    hints.put("cart", "Pending");
    await hints.rig.clock.advance(5_000);
    const held = Promise.withResolvers<void>();
    const isRead = Promise.withResolvers<void>();
    hints.beforeAnswer = () => (isRead.resolve(), held.promise);
    const number = hints.give("cart");
    await hints.rig.clock.advance(100);
    await isRead.promise;
    // Changed and changed back: the row has the same content as when the hint came.
    hints.put("cart", "Running");
    await hints.rig.clock.advance(100);
    hints.put("cart", "Pending");
    await hints.rig.clock.advance(100);
    held.resolve();
    await settle();
    expect(hints.resultOf(number)).toBe("leftToWatch");
    expect(hints.phases()).toEqual({ cart: "Pending" });
  });

  test("[L4] if the object was deleted while it was read: it does not come back", async () => {
    await using hints = new HintRig();
    hints.put("cart", "Pending");
    await hints.rig.clock.advance(5_000);
    const held = Promise.withResolvers<void>();
    hints.beforeAnswer = () => held.promise;
    const number = hints.give("cart");
    await hints.rig.clock.advance(100);
    hints.remove("cart");
    await hints.rig.clock.advance(100);
    held.resolve();
    await settle();
    expect([hints.resultOf(number), hints.phases()]).toEqual(["leftToWatch", {}]);
  });

  test("before the first list, and while a list runs", async () => {
    await using hints = new HintRig({ settings: { pageSize: 1 }, server: { offersWatchList: false } });
    for (const name of ["a", "b", "c"]) hints.put(name, "Running");
    const number = hints.give("a");
    await settle();
    expect(hints.resultOf(number)).toMatch(/^(leftToWatch|UNAVAILABLE)/);
    await hints.rig.clock.advance(5_000);
    expect(await hints.hint("a")).toBe("unchanged");
    const remove = hints.rig.server.faults.add({
      fault: { kind: "hang" },
      matches: ({ verb, query }) => verb === "list" && query["continue"] !== undefined,
    });
    hints.rig.server.compact();
    hints.rig.server.breakWatches("expire");
    await hints.rig.clock.advance(5_000);
    hints.put("a", "Failed");
    expect(await hints.hint("a")).toBe("leftToWatch");
    remove();
    await hints.rig.clock.advance(120_000);
    expect(hints.phases()).toEqual({ a: "Failed", b: "Running", c: "Running" });
  });

  test("if the kind is followed by namespace and the object is new: the list of one namespace would not delete it", async () => {
    await using hints = await startBehind({ filter: { include: ["shop"] } });
    hints.put("late", "Pending");
    hints.put("cart", "Running");
    expect(await hints.hint("late")).toBe("leftToWatch");
    expect(await hints.hint("cart")).toBe("refreshed");
    expect(hints.phases()).toEqual({ cart: "Running", web: "Running" });
  });
});

describe("[SE68] an agent refuses", () => {
  test.each([
    ["a kind that it does not follow", { resource: "secrets" }, /^NOT_FOUND: the agent does not follow "secrets"/],
    [
      "a namespace that it leaves out",
      { namespace: "kube-system" },
      /^NOT_FOUND: the agent does not collect namespace/,
    ],
    ["an object without its namespace", { namespace: "" }, /^INVALID_ARGUMENT/],
    ["a namespace that would lead elsewhere", { namespace: "../../secrets" }, /^INVALID_ARGUMENT/],
  ])("%s", async (_what, change, sentence) => {
    await using hints = await startBehind({ filter: { exclude: ["kube-system"] } });
    let isRead = false;
    hints.beforeAnswer = async () => void (isRead = true);
    expect(await hints.hint("cart", change)).toMatch(sentence);
    expect(isRead).toBe(false);
  });

  test("with a sentence of its own where it may not read, without the API server's words", async () => {
    await using hints = await startBehind();
    hints.rig.server.faults.add({
      fault: { kind: "status", status: 403 },
      matches: ({ verb }) => verb === "get",
    });
    expect(await hints.hint("cart")).toMatch(
      /^PERMISSION_DENIED: the agent may not get this kind in its cluster; `flo/,
    );
    hints.rig.server.faults.clear();
    hints.rig.server.faults.add({ fault: { kind: "reset" }, matches: ({ verb }) => verb === "get" });
    expect(await hints.hint("cart")).toBe("UNAVAILABLE: the agent could not read the object from its API server (tcp)");
  });
});

describe("[SE66] bounds", () => {
  test("twenty at once, then five a second; the others are refused and not kept", async () => {
    await using hints = await startBehind();
    const numbers: number[] = [];
    for (let at = 0; at < 4; at += 1) {
      for (let count = 0; count < 10; count += 1) numbers.push(hints.give("cart"));
      await hints.rig.clock.advance(10);
    }
    const results = numbers.map((number) => hints.resultOf(number).split(":")[0]);
    expect(results.filter((result) => result === "unchanged")).toHaveLength(20);
    expect(results.filter((result) => result === "OVERLOADED")).toHaveLength(20);
    await hints.rig.clock.advance(1_000);
    const later = Array.from({ length: 10 }, () => hints.give("cart"));
    await hints.rig.clock.advance(100);
    expect(later.filter((number) => hints.resultOf(number) === "unchanged")).toHaveLength(5);
  });

  test("sixteen are read at once, each for at most 8 s; a hung API server leaves nothing behind", async () => {
    await using hints = await startBehind();
    hints.rig.server.faults.add({ fault: { kind: "hang" }, matches: ({ verb }) => verb === "get" });
    const numbers = Array.from({ length: 18 }, () => hints.give("cart"));
    expect(numbers.filter((number) => hints.resultOf(number).startsWith("OVERLOADED"))).toHaveLength(2);
    await hints.rig.clock.advance(7_900);
    expect(hints.answers).toHaveLength(2);
    await hints.rig.clock.advance(200);
    expect(hints.answers).toHaveLength(18);
    expect(hints.resultOf(1)).toMatch(/^(DEADLINE_EXCEEDED|UNAVAILABLE): .*(8000 ms|timeout)/);
    expect(hints.phases()).toEqual({ cart: "Pending", web: "Running" });
  });

  test("an agent that stops answers none of them", async () => {
    const hints = await startBehind();
    hints.rig.server.faults.add({ fault: { kind: "hang" }, matches: ({ verb }) => verb === "get" });
    hints.give("cart");
    await settle();
    await hints[Symbol.asyncDispose]();
    expect(hints.answers).toEqual([]);
  });
});
