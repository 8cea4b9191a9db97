// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { keyNamed } from "../fleet/testing/model-agent.ts";
import { agentOf } from "../fleet/testing/register.ts";
import { clusterClient } from "../page/testing/cluster-client.ts";
import { PageRig } from "../page/testing/page-rig.ts";

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
});

afterEach(async () => {
  await rig.stop();
});

function retry(id: string): Promise<{ readonly wasAsked: boolean; readonly sentence: string }> {
  return clusterClient(rig).retryCluster({ id });
}

test("[SE45] [R-26] the agent of a cluster that lost its API server is asked once, however many viewers press", async () => {
  const agent = await rig.arrive("east");
  agent.beat({ apiServerFault: "tcp" });
  await settle();
  expect(rig.stateOf("east")).toBe("disconnected");
  const answers = await Promise.all(Array.from({ length: 50 }, () => retry("east")));
  expect(answers.every(({ wasAsked }) => wasAsked)).toBe(true);
  expect(answers[0]?.sentence).toBe("The agent of east was asked to try its API server now.");
  expect(answers.at(-1)?.sentence).toBe("The agent of east was asked less than a second ago.");
  await agent.next("probeApiServer");
  expect(agent.count("probeApiServer")).toBe(0);
});

test("[SE45] of an agent that is not connected it is said that it comes by itself, and when where that is known", async () => {
  await rig.arrive("east");
  await rig.lose("east");
  expect(await retry("east")).toMatchObject({
    wasAsked: false,
    sentence: "The agent of east is not connected; it dials the hub by itself, and the hub does not know when.",
  });
  const stranger = agentOf(rig.hub.fleet, "east", { agentId: "stranger", clusterUid: "another" });
  expect(await stranger.connect()).toBe("rejected");
  await settle();
  expect(await retry("east")).toMatchObject({
    wasAsked: false,
    sentence: expect.stringMatching(
      /^The agent of east is not connected; it dials the hub by itself, next in about \d+ s\.$/,
    ),
  });
});

test("[SE45] a cluster that waits for approval is told as such", async () => {
  const metadata = { region: "", environment: "", version: "", kubernetesVersion: "", labels: new Map() };
  const wish = { clusterId: "new", publicKey: keyNamed("new"), clusterUid: "uid-new", metadata };
  await rig.hub.fleet.clusterRegistration.add(wish, "agent");
  await rig.hub.fleet.clusters.update("new", (record) => ({ ...record, isApproved: false }));
  expect((await retry("new")).sentence).toBe(
    "The agent of new is not connected; it can connect when the cluster is approved.",
  );
});

test("a cluster that is not there is NOT_FOUND", async () => {
  await expect(retry("nowhere")).rejects.toThrow("there is no cluster");
});
