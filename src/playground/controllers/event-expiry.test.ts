// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { PlaygroundRig } from "./testing/playground-rig.ts";

let rig: PlaygroundRig;
beforeEach(async () => {
  rig = await PlaygroundRig.open({ nodeCount: 0 });
});
afterEach(() => rig.close());

/** Lets time pass in one step: nothing else lives in this cluster. */
async function wait(seconds: number): Promise<void> {
  await rig.clock.advance(seconds * 1000);
  await rig.quiet();
}

async function makeEvent(name: string): Promise<void> {
  await rig.client.create("events", {
    metadata: { name, namespace: "shop" },
    involvedObject: { kind: "Pod", namespace: "shop", name: "p" },
    eventTime: "2017-09-19T13:49:16.000000Z",
    reportingComponent: "test-controller",
    reportingInstance: "test-node",
    action: "Do",
    reason: "Test",
    type: "Normal",
  });
  await rig.quiet();
}

test("[AP21] an event whose eventTime is of 2017 stays for an hour after it was written", async () => {
  await makeEvent("old");
  await wait(3_599);
  expect(rig.get("events", "old")).toBeDefined();
  await wait(2);
  expect(rig.get("events", "old")).toBeUndefined();
});

test("[AP21] the hour of an event begins again when it is written again", async () => {
  await makeEvent("again");
  await wait(3_000);
  await rig.change("events", "again", (draft) => {
    draft["series"] = { count: 2, lastObservedTime: "2017-09-19T13:49:16.000000Z" };
  });
  await wait(3_000);
  expect(rig.get("events", "again")).toBeDefined();
  await wait(601);
  expect(rig.get("events", "again")).toBeUndefined();
});
