// SPDX-License-Identifier: Apache-2.0
// HintObject over real sessions of the hub, with agents that the test plays.
import { type Client, createClient } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { HintOutcome, HintService } from "../../gen/flotilla/fleet/v1/hint_pb.ts";
import { HintResult } from "../../gen/flotilla/session/v1/session_pb.ts";
import { rootTransport } from "../page/testing/cluster-client.ts";
import { PageRig } from "../page/testing/page-rig.ts";

let rig: PageRig;
let client: Client<typeof HintService>;

beforeEach(async () => {
  rig = await PageRig.start();
  client = createClient(HintService, rootTransport(rig));
});

afterEach(async () => {
  await rig.stop();
});

const cart = { cluster: "east", kind: "Pod", namespace: "shop", name: "cart" };

test("[SE69] a hint goes to the agent by its resource id, and the outcome is a value and a sentence", async () => {
  const agent = await rig.arrive("east", "", { takesHints: true });
  const asked = client.hintObject(cart);
  const { number, ...hint } = await agent.next("objectHint");
  expect(hint).toMatchObject({ resource: "pods", namespace: "shop", name: "cart" });
  agent.send({ case: "hintAnswers", value: { answers: [{ number, result: HintResult.REFRESHED }] } });
  expect(await asked).toMatchObject({
    outcome: HintOutcome.REFRESHED,
    sentence:
      'The agent has read pods "cart" of namespace "shop" in cluster east again, and sends the changed row now.',
  });
});

test("[SE65] an older agent is never sent one, and its session stays", async () => {
  const agent = await rig.arrive("east");
  await expect(client.hintObject(cart)).rejects.toThrow("the agent of east takes no hints; upgrade it");
  await settle();
  expect([agent.count("objectHint"), agent.end.isClosed]).toEqual([0, false]);
});

test("[SE69] a cluster whose agent is gone is away, with the reason", async () => {
  await rig.arrive("east", "", { takesHints: true });
  await rig.lose("east");
  const { outcome, sentence } = await client.hintObject(cart);
  expect(outcome).toBe(HintOutcome.CLUSTER_AWAY);
  expect(sentence).toMatch(/^The agent is not connected, so pods "cart" of .* was not read\. ./);
});

test("[SE69] an agent that is lost before its answer leaves the cluster away", async () => {
  const agent = await rig.arrive("east", "", { takesHints: true });
  const asked = client.hintObject(cart);
  await agent.next("objectHint");
  await rig.lose("east");
  expect((await asked).outcome).toBe(HintOutcome.CLUSTER_AWAY);
});

test("[SE43] [SE65] a paused cluster gets none", async () => {
  const agent = await rig.arrive("east", "", { takesHints: true });
  const pause = { by: "root", atMs: 0 };
  await rig.hub.fleet.clusters.update("east", (record) => ({ ...record, pause }));
  await settle();
  await expect(client.hintObject(cart)).rejects.toThrow("east is paused");
  expect(agent.count("objectHint")).toBe(0);
});

test.each([
  ["an unknown cluster", { cluster: "nowhere" }, "there is no cluster"],
  ["a kind that no agent there follows", { kind: "Gadget" }, 'east has no kind "Gadget"'],
  ["an object without its namespace", { namespace: "" }, "name it with -n"],
  ["a namespace that does not fit", { kind: "ClusterRole" }, "leave it out"],
  ["a name of great length", { name: "x".repeat(254) }, "longer than a Kubernetes name"],
])("[SE68] %s is refused at the hub, and nothing is sent", async (_what, change, sentence) => {
  const agent = await rig.arrive("east", "", { takesHints: true });
  await expect(client.hintObject({ ...cart, ...change })).rejects.toThrow(sentence);
  expect(agent.count("objectHint")).toBe(0);
});

test("[SE4] [SE66] more answers than an agent can have end its session", async () => {
  const agent = await rig.arrive("east", "", { takesHints: true });
  const answers = Array.from({ length: 17 }, (_, number) => ({ number, result: HintResult.REFRESHED }));
  agent.send({ case: "hintAnswers", value: { answers } });
  expect((await agent.next("rejected")).detail).toContain("17 answers to hints");
});
