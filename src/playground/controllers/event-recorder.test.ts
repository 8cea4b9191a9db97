// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, textOf } from "../../apiserver/json/json-fields.ts";
import { EventRecorder } from "./event-recorder.ts";
import { PlaygroundRig } from "./testing/playground-rig.ts";

let rig: PlaygroundRig;
let recorder: EventRecorder;
beforeEach(async () => {
  rig = await PlaygroundRig.open({ nodeCount: 0 });
  await rig.stop();
  recorder = new EventRecorder(rig.client, rig.clock);
});
afterEach(() => rig.close());

async function record(reason: string, message = "said"): Promise<void> {
  const object: JsonObject = { metadata: { name: "web", namespace: "shop", uid: "u-1" } };
  const content = { type: "Normal", reason, message, component: "tester" } as const;
  await recorder.record({ apiVersion: "v1", kind: "Pod", object }, content);
}

test("events of the same moment are listed in the order in which they were said", async () => {
  const reasons = ["Scheduled", "Pulling", "Pulled", "Created", "Started", "Killing"];
  for (const reason of reasons) await record(reason);
  expect(rig.reasons()).toEqual(reasons);
});

test("what is said again counts up, and so it does after its event has gone", async () => {
  await record("BackOff");
  await record("BackOff");
  await record("BackOff", "said otherwise");
  const events = rig.list("events");
  expect(events.map((event) => countOf(event, "count"))).toEqual([2, 1]);
  for (const event of events)
    await rig.client.delete({ resource: "events", namespace: "shop", name: textOf(event, "metadata", "name") });
  await record("BackOff");
  await record("BackOff");
  expect(rig.list("events").map((event) => countOf(event, "count"))).toEqual([2]);
});
