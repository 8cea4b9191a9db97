// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { agentOf } from "../fleet/testing/register.ts";
import { clusterClient } from "./testing/cluster-client.ts";
import { PageRig } from "./testing/page-rig.ts";
import { fleetView } from "./testing/test-viewer.ts";

test("[SE7] [PG33] another cluster that shows the key of this one is on the page with its uid, so that it can be accepted", async () => {
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
  // It has not come again for more than a minute: nothing is left to accept.
  await rig.clock.advance(66_000);
  expect(stream.fleet().clusters.get("a")?.replacedByUid).toBe("");
  await stream.close();
  await rig.stop();
});

test("[SE7] accepting a uid that no agent showed is refused and cuts nobody off; one that was refused is let in at once", async () => {
  const rig = await PageRig.start();
  await rig.arrive("east");
  const client = clusterClient(rig);
  await expect(client.updateCluster({ id: "east", acceptReplacementUid: "123" })).rejects.toMatchObject({
    rawMessage: expect.stringContaining(
      'no agent of a cluster with uid "123" was refused as east: none was',
    ) as unknown,
  });
  await settle();
  expect(rig.stateOf("east")).toBe("live");
  const other = agentOf(rig.hub.fleet, "east", { agentId: "other", clusterUid: "uid-other" });
  expect(await other.connect()).toBe("rejected");
  await client.updateCluster({ id: "east", acceptReplacementUid: "uid-other" });
  await settle();
  expect(other.end.isClosed).toBe(true);
  await rig.stop();
});
