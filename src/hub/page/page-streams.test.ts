// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { SubscriptionSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import { PageRig } from "./testing/page-rig.ts";
import { changesView, clusterView, fleetView, type TestStream } from "./testing/test-viewer.ts";

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
  await rig.register("a");
});

afterEach(async () => {
  await rig.stop();
  expect(rig.clock.timerCount).toBe(0);
});

test("[PG15] a browser that goes while an update waits for it leaves no stream behind", async () => {
  const leaving = new AbortController();
  const { client } = rig.viewer("root");
  const opened = client.open({ subscriptions: [fleetView()] }, { signal: leaving.signal })[Symbol.asyncIterator]();
  await opened.next();
  expect(rig.metrics.get("flotilla_page_streams")).toBe(1);
  leaving.abort(new Error("the tab is closed"));
  expect(rig.metrics.get("flotilla_page_streams")).toBe(0);
  expect(rig.metrics.get("flotilla_page_subscriptions", "fleet")).toBe(0);
  await settle();
});

test("[PG13] a heartbeat comes after 5 s without another message, and tells the time", async () => {
  const stream = await rig.viewer("root").open(fleetView());
  expect(stream.messages).toHaveLength(2);
  await rig.clock.advance(4_999);
  expect(stream.messages).toHaveLength(2);
  await rig.clock.advance(1);
  await settle();
  expect(stream.messages.slice(2)).toMatchObject([{ subscriptionId: 0, position: "", nowMs: 5_000n }]);
  await rig.clock.advance(3_000);
  await rig.register("b");
  await rig.clock.advance(500);
  await settle();
  expect(stream.messages).toHaveLength(4);
  await rig.clock.advance(4_900);
  expect(stream.messages).toHaveLength(4);
  await rig.clock.advance(600);
  await settle();
  expect(stream.messages).toHaveLength(5);
  await stream.close();
});

test("[PG13] a stream without subscriptions lives by its heartbeats", async () => {
  const stream = await rig.viewer("root").open();
  await rig.clock.advance(20_000);
  await settle();
  expect(stream.messages.map(({ subscriptionId }) => subscriptionId)).toEqual([0, 0, 0, 0, 0]);
  await stream.close();
});

describe("[PG8] subscriptions of a stream", () => {
  test("come and go while it is open, each with its own number", async () => {
    const stream = await rig.viewer("root").open();
    await stream.subscribe(fleetView(7));
    expect(stream.of(7)).toHaveLength(1);
    await stream.subscribe(clusterView("a", 8));
    expect(stream.of(8).map(({ isSnapshot }) => isSnapshot)).toEqual([true]);
    await stream.unsubscribe(7);
    await rig.register("b");
    await rig.clock.advance(2_000);
    expect(stream.of(7)).toHaveLength(1);
    await stream.unsubscribe(99);
    await stream.close();
  });

  test("one of an id in use takes the place of the other", async () => {
    const stream = await rig.viewer("root").open(fleetView(1));
    await stream.subscribe(clusterView("a", 1));
    expect(stream.of(1).map(({ isSnapshot }) => isSnapshot)).toEqual([true, true]);
    expect(stream.clusterUpdates()[1]?.cluster?.id).toBe("a");
    expect(rig.metrics.get("flotilla_page_subscriptions", "fleet")).toBe(0);
    expect(rig.metrics.get("flotilla_page_subscriptions", "cluster")).toBe(1);
    await stream.close();
  });

  test("all of them are served, even where the first has something at every step", async () => {
    await rig.arrive("busy");
    const stream = await rig.viewer("root").open(fleetView(1), clusterView("busy", 2), fleetView(3));
    for (let round = 0; round < 4; round += 1) await rig.send("busy", rig.pod("busy", `p${round}`, "healthy"));
    for (const id of [1, 2, 3]) expect(stream.of(id).length).toBeGreaterThanOrEqual(4);
    await stream.close();
  });
});

describe("[PG15] a stream", () => {
  test("belongs to the token that opened it: to any other it is not there", async () => {
    const stream = await rig.viewer("root", "tok_1").open();
    const { client } = rig.viewer("root", "tok_2");
    const subscription = create(SubscriptionSchema, fleetView(1));
    const { streamId } = stream;
    await expect(client.subscribe({ streamId, subscription })).rejects.toThrow(/you have no such stream/);
    await expect(client.subscribe({ streamId: "page_none", subscription })).rejects.toThrow(/you have no such stream/);
    await expect(client.unsubscribe({ streamId, subscriptionId: 1 })).rejects.toThrow(/you have no such stream/);
    expect(stream.of(1)).toEqual([]);
    await stream.close();
    await expect(rig.viewer("root", "tok_1").client.subscribe({ streamId, subscription })).rejects.toThrow(
      /no such stream/,
    );
  });

  test("carries 64 subscriptions, and one more is refused", async () => {
    const subscriptions = Array.from({ length: 64 }, (_, at) => fleetView(at + 1));
    const stream = await rig.viewer("root").open(...subscriptions);
    await expect(stream.subscribe(fleetView(65))).rejects.toThrow(/at most 64 subscriptions/);
    await stream.subscribe(clusterView("a", 64));
    await stream.unsubscribe(1);
    await stream.subscribe(fleetView(65));
    const over = await rig.viewer("root").open(...subscriptions, fleetView(65));
    expect(String(over.failure)).toMatch(/at most 64 subscriptions/);
    expect(over.isEnded).toBe(true);
    expect(rig.metrics.get("flotilla_page_streams")).toBe(1);
    await stream.close();
  });

  test("is one of 8 of its token, and one more is refused until one ends", async () => {
    const streams: TestStream[] = [];
    for (let at = 0; at < 8; at += 1) streams.push(await rig.viewer("root").open(fleetView()));
    expect(String((await rig.viewer("root").open(fleetView())).failure)).toMatch(/at most 8 streams/);
    const other = await rig.viewer("root", "tok_other").open(fleetView());
    expect(other.of(1)).toHaveLength(1);
    await streams.pop()?.close();
    const again = await rig.viewer("root").open(fleetView());
    expect(again.of(1)).toHaveLength(1);
    for (const stream of [...streams, other, again]) await stream.close();
  });

  test.each([
    ["an id of 0", fleetView(0), /above 0/],
    ["no view", { id: 1 }, /must name a view/],
    [
      "a filter that is too long",
      changesView({ namespaces: Array.from({ length: 1_001 }, (_, at) => `n${at}`) }),
      /at most 1000/,
    ],
    ["a name that is too long", changesView({ resources: ["x".repeat(513)] }), /at most 1000 names of 512/],
  ])("with %s is refused with a sentence", async (_name, subscription, sentence) => {
    const stream = await rig.viewer("root").open(subscription);
    expect(String(stream.failure)).toMatch(sentence);
    expect(rig.metrics.get("flotilla_page_streams")).toBe(0);
  });
});
