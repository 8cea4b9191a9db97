// SPDX-License-Identifier: Apache-2.0
// Access reports and reviews over real sessions of the hub.
import { afterEach, beforeEach, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import {
  AccessReviewRight,
  AccessVerdict,
  ClusterAuthorizers as WireAuthorizers,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import { judgeGrants } from "../../index/access/judge-grants.ts";
import type { SampledRequest } from "../../session/access-samples/access-sample.ts";
import type { ModelAgent } from "../fleet/testing/model-agent.ts";
import { agentOf, register } from "../fleet/testing/register.ts";
import { listIn } from "./testing/drift-rig.ts";
import { type SessionFleet, startSessionFleet } from "./testing/session-fleet.ts";

const samples = [listIn("alice", "shop"), listIn("bob", "shop")];
const isAllowed = ({ user }: SampledRequest): boolean => user === "alice";
const unknownMessages = "flotilla_session_unknown_messages_total";

let hub: SessionFleet;
let agent: ModelAgent;

beforeEach(async () => {
  hub = await startSessionFleet({
    drawSamples: async (_cluster, count) =>
      samples.slice(0, count).map((sample) => ({ ...sample, isAllowed: isAllowed(sample) })),
    answer: async (_cluster, requests) => requests.map(isAllowed),
  });
  await register(hub.fleet, "east");
  agent = agentOf(hub.fleet, "east");
  await agent.join();
});

afterEach(async () => {
  await hub.stop();
  expect(hub.clock.timerCount).toBe(0);
});

/** Lets time pass for a session that stays alive. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 4) {
    agent.send({ case: "heartbeat", value: { number: BigInt(second + 1) } });
    await hub.clock.advance(4_000);
  }
}

function report(authorizers: WireAuthorizers, reviews: AccessReviewRight): void {
  agent.send({ case: "accessReport", value: { authorizers, detail: "webhook", reviews } });
}

/** Answers the next order with these verdicts. */
async function answer(verdicts: readonly AccessVerdict[]): Promise<void> {
  const { number } = await agent.next("reviewAccess");
  agent.send({ case: "accessVerdicts", value: { number, verdicts: [...verdicts] } });
  await settle();
}

test("[RB82] [SE62] an older agent, which never reports nor answers, is unknown: it gets no question and nothing closes", async () => {
  await pass(300);
  expect(agent.count("reviewAccess")).toBe(0);
  expect(hub.checks.facts.of("east")).toMatchObject({ authorizers: "unknown" });
  const evidence = hub.checks.evidence.of("east");
  expect(evidence).toEqual({ authorizers: "unknown", drift: "none" });
  const judged = judgeGrants({ isRbacComplete: true, grantsBehindMs: 0, mode: "rbacFirst", ...evidence });
  expect(judged).toMatchObject({ kind: "open", cause: "unknownAuthorizers" });
});

test("[SE62] [RB78] a report is kept for its cluster, with the reason", async () => {
  report(WireAuthorizers.OTHER, AccessReviewRight.FORBIDDEN);
  await pass(120);
  expect(hub.checks.facts.of("east")).toEqual({ authorizers: "other", detail: "webhook" });
  expect(agent.count("reviewAccess")).toBe(0);
  expect(hub.metrics.get(unknownMessages, "east")).toBe(0);
});

test("[SE63] [RB80] [RB81] questions go out in the session, and verdicts that differ twice are drift", async () => {
  report(WireAuthorizers.RBAC, AccessReviewRight.ALLOWED);
  for (let seconds = 0; seconds < 64 && agent.count("reviewAccess") === 0; seconds += 4) await pass(4);
  const { number, questions } = await agent.next("reviewAccess");
  expect(questions).toMatchObject([
    {
      user: "alice",
      groups: ["system:authenticated"],
      verb: "list",
      apiGroup: "",
      resource: "pods",
      namespace: "shop",
    },
    { user: "bob" },
  ]);
  // Verdicts of another order, or of too few questions, prove nothing.
  agent.send({ case: "accessVerdicts", value: { number: number + 1, verdicts: [AccessVerdict.DENIED] } });
  agent.send({ case: "accessVerdicts", value: { number, verdicts: [AccessVerdict.DENIED] } });
  await pass(8);
  await answer([AccessVerdict.DENIED]);
  await pass(4);
  expect(hub.checks.drift.of("east")).toBe("shownButDenied");
  expect(hub.metrics.get("flotilla_access_samples_total", "east", "unanswered")).toBe(1);
  agent.end.close();
  await hub.clock.advance(60_000);
  expect(hub.checks.drift.of("east")).toBe("shownButDenied");
});

test("[SE4] [SE63] more verdicts than questions fit into an order are refused", async () => {
  report(WireAuthorizers.RBAC, AccessReviewRight.ALLOWED);
  const verdicts = Array.from({ length: 31 }, () => AccessVerdict.ALLOWED);
  agent.send({ case: "accessVerdicts", value: { number: 1, verdicts } });
  expect((await agent.next("rejected")).detail).toContain("31 verdicts");
});
