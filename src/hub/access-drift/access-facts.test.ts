// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import type { AccessReportFacts } from "../../session/access-samples/access-sample.ts";
import type { SessionFacts } from "../sessions/session-events.ts";
import { AccessFacts } from "./access-facts.ts";

const rbac: AccessReportFacts = { authorizers: "rbac", detail: "", reviews: "allowed" };
const other: AccessReportFacts = { authorizers: "other", detail: "webhook", reviews: "forbidden" };

function sessionOf(epoch: number, shard = ""): SessionFacts {
  return {
    cluster: "east",
    shard,
    agentId: "agent",
    agentVersion: "1",
    incarnation: "inc",
    address: "10.0.0.1",
    epoch,
    connectedAtMs: 0,
    heartbeatMs: 5_000,
  };
}

/** Facts, and the events of sessions of one cluster. */
function followed() {
  const clock = new ManualClock();
  const facts = new AccessFacts(clock);
  const at = () => ({ nowMs: clock.nowMs() });
  return {
    clock,
    facts,
    begin: (epoch: number, shard?: string) => facts.handlers.began({ session: sessionOf(epoch, shard), ...at() }),
    report: (epoch: number, report: AccessReportFacts, shard?: string) =>
      facts.handlers.accessReported({ session: sessionOf(epoch, shard), report, ...at() }),
    end: (epoch: number) =>
      facts.handlers.ended({ session: sessionOf(epoch), ending: { kind: "left", reason: "" }, ...at() }),
    authorizers: () => facts.of("east").authorizers,
    right: () => facts.reviewRight("east"),
  };
}

test("[RB78] authorizers are unknown before the first report, then as reported, also while the agent is away", async () => {
  const { clock, facts, begin, report, end, authorizers, right } = followed();
  expect(facts.of("east")).toMatchObject({ authorizers: "unknown", detail: expect.stringContaining("not reported") });
  begin(1);
  expect([authorizers(), right()]).toEqual(["unknown", undefined]);
  report(1, rbac);
  expect([authorizers(), right(), [...facts.reviewing()]]).toEqual(["rbac", "allowed", ["east"]]);
  report(1, other);
  expect(facts.of("east")).toEqual({ authorizers: "other", detail: "webhook" });
  expect([right(), [...facts.reviewing()]]).toEqual(["forbidden", []]);
  end(1);
  await clock.advance(3_600_000);
  expect([authorizers(), right()]).toEqual(["other", undefined]);
});

test("[RB78] [RB82] a session without a report, as of an older agent, makes them unknown after a minute", async () => {
  const { clock, begin, report, end, authorizers, right } = followed();
  begin(1);
  report(1, rbac);
  end(1);
  begin(2);
  await clock.advance(59_999);
  expect([authorizers(), right()]).toEqual(["rbac", undefined]);
  await clock.advance(1);
  expect(authorizers()).toBe("unknown");
  report(2, rbac);
  expect([authorizers(), right()]).toEqual(["rbac", "allowed"]);
});

test("[RB78] reports of a session that was replaced, of other shards, and of removed clusters do not count", () => {
  const { facts, begin, report, end, authorizers, right } = followed();
  begin(1);
  begin(2);
  report(1, other);
  begin(9, "s1");
  report(9, other, "s1");
  expect(authorizers()).toBe("unknown");
  report(2, rbac);
  end(1);
  expect([authorizers(), right()]).toEqual(["rbac", "allowed"]);
  facts.forget("east");
  expect([authorizers(), right()]).toEqual(["unknown", undefined]);
});
