// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenResponse, OpenResponseSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { HubHop, ViewRefusal, ViewRequest } from "./link.ts";
import { StreamLink, type TimedUpdate } from "./stream-link.ts";
import { ScriptedHub } from "./testing/scripted-hub.ts";
import { soon } from "./testing/soon.ts";

let hub: ScriptedHub;
let link: StreamLink;
let hops: HubHop[];
let heardCount: number;

beforeEach(() => {
  hub = new ScriptedHub();
  hops = [];
  heardCount = 0;
  link = new StreamLink(hub.surroundings, {
    hop: (hop) => void hops.push(hop),
    time: () => {
      heardCount += 1;
    },
  });
});

afterEach(() => {
  link.stop();
  expect(hub.timerCount).toBe(0);
});

class Sink {
  readonly updates: TimedUpdate[] = [];
  readonly refusals: ViewRefusal[] = [];
  update(update: TimedUpdate): void {
    this.updates.push(update);
  }
  refused(refusal: ViewRefusal): void {
    this.refusals.push(refusal);
  }
}

const fleet: ViewRequest = { case: "fleet", value: {} };
const changes: ViewRequest = { case: "changes", value: { clusterIds: ["a"] } };

async function openStream(count = 1): Promise<void> {
  await soon(() => expect(hub.streams).toHaveLength(count));
  hub.stream.send({ streamId: `stream-${count}` });
  await soon(() => expect(link.hop.kind).toBe("open"));
}

test("[PG9] after the stream ended every subscription goes on from its newest position", async () => {
  const [one, other] = [new Sink(), new Sink()];
  link.subscribe(fleet, one);
  link.subscribe(changes, other);
  link.start();
  await openStream();
  hub.stream.send({ subscriptionId: 1, position: "run.7", update: new Uint8Array([1]), isSnapshot: true });
  await soon(() => expect(one.updates).toHaveLength(1));
  hub.stream.end();
  await soon(() => expect(link.hop.kind).toBe("lost"));
  hub.pass(500);
  await openStream(2);
  expect(hub.stream.request.subscriptions.map(({ id, position, view }) => [id, position, view.case])).toEqual([
    [1, "run.7", "fleet"],
    [2, "", "changes"],
  ]);
});

test("subscriptions added and ended while the stream is open are sent to the hub", async () => {
  link.start();
  await openStream();
  const sink = new Sink();
  const id = link.subscribe(fleet, sink);
  await soon(() => expect(hub.subscribed).toHaveLength(1));
  expect(hub.subscribed[0]).toMatchObject({ streamId: "stream-1", subscription: { id, position: "" } });
  link.unsubscribe(id);
  await soon(() => expect(hub.unsubscribed).toEqual([id]));
  hub.stream.send({ subscriptionId: id, position: "run.1", update: new Uint8Array([1]) });
  hub.stream.send({ subscriptionId: 0 });
  expect(sink.updates).toEqual([]);
});

test("a subscription added while the stream is being opened is sent once it is open", async () => {
  link.start();
  await soon(() => expect(hub.streams).toHaveLength(1));
  link.subscribe(fleet, new Sink());
  await openStream();
  await soon(() => expect(hub.subscribed).toHaveLength(1));
});

test("[PG13] a stream that is silent for 12 s is left, and another one is opened", async () => {
  link.start();
  await openStream();
  hub.pass(11_000);
  hub.stream.send({});
  // The heartbeat is taken in a later turn; the silence counts from it.
  await soon(() => expect(heardCount).toBe(2));
  hub.pass(11_999);
  expect(link.hop.kind).toBe("open");
  hub.pass(1);
  expect(link.hop).toMatchObject({ kind: "lost", sentence: "The hub stopped responding." });
  await soon(() => expect(hub.streams[0]?.isLeft).toBe(true));
  hub.pass(500);
  await openStream(2);
});

test("[PG14] a wake ends the wait at once, and a stream whose heartbeat is late is not waited for", async () => {
  hub.openFailure = new ConnectError("connection refused", Code.Unavailable);
  link.start();
  await soon(() => expect(link.hop).toMatchObject({ kind: "lost", sentence: "connection refused" }));
  hub.openFailure = undefined;
  hub.nowMs += 1_000;
  link.wake();
  await openStream();
  hub.nowMs += 7_000;
  link.wake();
  await openStream(2);
  expect(hub.streams[0]?.isLeft).toBe(true);
  link.wake();
  expect(hub.streams).toHaveLength(2);
});

test("[PG14] retry now leaves an attempt that hangs for another, once a second however often it is pressed", async () => {
  link.start();
  for (const count of [1, 2]) {
    await soon(() => expect(hub.streams).toHaveLength(count));
    for (let press = 0; press < 10; press += 1) {
      hub.pass(100);
      link.wake();
    }
  }
  await soon(() => expect(hub.streams).toHaveLength(3));
  expect(hub.streams.map(({ isLeft }) => isLeft)).toEqual([true, true, false]);
  hub.streams[0]?.send({ streamId: "of the first" });
  await openStream(3);
  expect(hops.filter(({ kind }) => kind === "open")).toHaveLength(1);
});

test("[PG14] one retry now, however early in an attempt that hangs, begins another when a second is over", async () => {
  link.start();
  await soon(() => expect(hub.streams).toHaveLength(1));
  link.wake();
  hub.pass(999);
  await soon(() => expect(hub.streams).toHaveLength(1));
  hub.pass(1);
  await soon(() => expect(hub.streams.map(({ isLeft }) => isLeft)).toEqual([true, false]));
  hub.pass(1_000);
  expect(hub.streams[1]?.isLeft).toBe(false);
  // Nobody asks any more, so this one has the whole time of a silence.
  hub.pass(10_999);
  expect(link.hop.kind).toBe("opening");
  hub.pass(1);
  expect(link.hop).toMatchObject({ kind: "lost", sentence: "The hub stopped responding." });
});

test("[PG14] retry now during an attempt that then opens leaves its stream alone", async () => {
  link.start();
  await soon(() => expect(hub.streams).toHaveLength(1));
  link.wake();
  hub.pass(500);
  await openStream();
  hub.pass(11_999);
  expect(link.hop.kind).toBe("open");
  expect(hub.streams[0]?.isLeft).toBe(false);
  hub.pass(1);
  expect(link.hop.kind).toBe("lost");
});

test("[PG14] what still comes of an attempt that was given up is not taken", async () => {
  const late = Promise.withResolvers<OpenResponse>();
  let openCount = 0;
  // As a transport does that has read the message before it is aborted.
  async function* open(): AsyncGenerator<OpenResponse> {
    openCount += 1;
    if (openCount === 1) yield await late.promise;
    else await new Promise<never>(() => undefined);
  }
  const client = { ...hub.surroundings.client, open };
  const other = new StreamLink({ ...hub.surroundings, client }, { hop: () => undefined, time: () => undefined });
  other.start();
  hub.pass(1_000);
  other.wake();
  late.resolve(create(OpenResponseSchema, { streamId: "of the first" }));
  await soon(() => expect(openCount).toBe(2));
  await new Promise((resolve) => setImmediate(resolve));
  expect(other.hop.kind).toBe("opening");
  other.stop();
});

test("[PG14] retry now after a failed attempt is not forgotten: the next one comes a second after that", async () => {
  hub.openFailure = new ConnectError("connection refused", Code.Unavailable);
  link.start();
  for (const [attemptCount, waitMs] of [500, 1_000, 2_000].entries()) {
    const nextAttemptMs = hub.nowMs + waitMs;
    await soon(() => expect(link.hop).toMatchObject({ attemptCount: attemptCount + 1, nextAttemptMs }));
    if (waitMs < 2_000) hub.pass(waitMs);
  }
  const nextAttemptMs = hub.nowMs + 1_000;
  link.wake();
  hub.pass(999);
  expect(link.hop).toMatchObject({ attemptCount: 3, nextAttemptMs });
  hub.openFailure = undefined;
  hub.pass(1);
  await openStream();
});

test("[PG14] a login that ended is not tried again until a wake", async () => {
  hub.openFailure = new ConnectError("the token has expired", Code.Unauthenticated);
  link.start();
  await soon(() => expect(link.hop).toEqual({ kind: "loginNeeded", sentence: "the token has expired" }));
  hub.pass(60_000);
  expect(hub.streams).toHaveLength(0);
  hub.openFailure = undefined;
  link.wake();
  await openStream();
});

test("a refused view gets the refusal and is not requested again", async () => {
  const sink = new Sink();
  link.subscribe({ case: "cluster", value: { clusterId: "x" } }, sink);
  link.start();
  await openStream();
  hub.stream.send({ subscriptionId: 1, refusal: { code: "NOT_FOUND", message: 'there is no cluster "x"' } });
  await soon(() => expect(sink.refusals).toEqual([{ code: "NOT_FOUND", message: 'there is no cluster "x"' }]));
  hub.stream.end();
  await soon(() => expect(link.hop.kind).toBe("lost"));
  hub.pass(500);
  await openStream(2);
  expect(hub.stream.request.subscriptions).toEqual([]);
});

test("a subscription that the hub's stream does not know of makes a new stream with all of them", async () => {
  link.start();
  await openStream();
  hub.subscribeFailure = new ConnectError("there is no such stream", Code.NotFound);
  link.subscribe(fleet, new Sink());
  await soon(() => expect(link.hop.kind).toBe("lost"));
  hub.subscribeFailure = undefined;
  hub.pass(500);
  await openStream(2);
  expect(hub.stream.request.subscriptions).toHaveLength(1);
});
