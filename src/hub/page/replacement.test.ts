// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { settle } from "../../base/manual-clock.ts";
import { agentOf } from "../fleet/testing/register.ts";
import { PageRig } from "./testing/page-rig.ts";
import { fleetView } from "./testing/test-viewer.ts";

test("[SE7] another cluster that shows the key of this one is on the page with its uid, so that it can be accepted", async () => {
  const rig = await PageRig.start();
  await rig.arrive("a");
  const stream = await rig.viewer("root").open(fleetView());
  expect(stream.fleet().clusters.get("a")?.replacedByUid).toBe("");
  await rig.lose("a");
  expect(await agentOf(rig.hub.fleet, "a", { clusterUid: "uid-other" }).connect()).toBe("rejected");
  await settle();
  // Nobody tells the board of a rejection: it looks at every cluster anew with its heartbeat.
  await rig.clock.advance(6_000);
  expect(stream.fleet().clusters.get("a")?.replacedByUid).toBe("uid-other");
  await stream.close();
  await rig.stop();
});
