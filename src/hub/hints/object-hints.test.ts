// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { createRecordingLogger } from "../../rpc/testing/recorder.ts";
import type { HintAnswer, ObjectHint } from "../../session/hints/hint.ts";
import { CountedMetrics } from "../fleet/testing/counted-metrics.ts";
import type { SessionFacts } from "../sessions/session-events.ts";
import type { HintAsk } from "../sessions/session-requests.ts";
import { ObjectHints } from "./object-hints.ts";

const object = { resource: "pods", namespace: "shop", name: "cart" };

/** Hints to agents whose sessions the test plays. */
class HintsRig {
  readonly clock = new ManualClock();
  readonly metrics = new CountedMetrics();
  readonly recorded = createRecordingLogger();
  readonly sent: (ObjectHint & { readonly cluster: string })[] = [];
  hintObject: (cluster: string) => HintAsk = () => ({ kind: "asked", epoch: 1 });
  readonly hints = new ObjectHints({
    sessions: {
      hintObject: (cluster, hint) => {
        this.sent.push({ cluster, ...hint });
        return this.hintObject(cluster);
      },
    },
    clock: this.clock,
    metrics: this.metrics,
  });

  /** Gives a hint; returns what came of it, once it did. */
  give(cluster = "east", signal = new AbortController().signal): () => string | undefined {
    let outcome: string | undefined;
    this.hints.give({ cluster, object, user: "ci", log: this.recorded }, signal).then(
      (result) => (outcome = result),
      (reason: unknown) => {
        const { code = "", message = "" } = reason as { code?: string; message?: string };
        outcome = `${code}: ${message}`;
      },
    );
    return () => outcome;
  }

  answer(answer: HintAnswer, change: Partial<SessionFacts> = {}): Promise<void> {
    this.hints.handlers.hintsAnswered({ session: sessionOf(change), answers: [answer], nowMs: this.clock.nowMs() });
    return settle();
  }

  end(change: Partial<SessionFacts> = {}): Promise<void> {
    const ending = { kind: "left", reason: "bye" } as const;
    this.hints.handlers.ended({ session: sessionOf(change), ending, nowMs: this.clock.nowMs() });
    return settle();
  }

  count(outcome: string): number {
    return this.metrics.get("flotilla_hints_total", outcome);
  }
}

function sessionOf(change: Partial<SessionFacts>): SessionFacts {
  const rest = { agentId: "a", agentVersion: "1", incarnation: "i", address: "", connectedAtMs: 0, heartbeatMs: 5_000 };
  return { cluster: "east", shard: "", epoch: 1, ...rest, ...change };
}

let rig: HintsRig;

beforeEach(() => {
  rig = new HintsRig();
});

afterEach(() => {
  expect(rig.clock.timerCount).toBe(0);
});

test("[SE65] a hint is sent once and its answer is the outcome; it is logged with its caller", async () => {
  const outcome = rig.give();
  await settle();
  expect(rig.sent).toEqual([{ cluster: "east", number: 1, ...object }]);
  await rig.answer({ number: 1, result: "refreshed" });
  expect([outcome(), rig.count("refreshed")]).toEqual(["refreshed", 1]);
  const fields = { cluster: "east", user: "ci", ...object, outcome: "refreshed", tookMs: 0 };
  expect(rig.recorded.lines).toEqual([{ level: "info", message: "object hinted", fields, error: undefined }]);
});

test("[SE68] a refusal of the agent is the caller's, with its code", async () => {
  const outcome = rig.give();
  await rig.answer({ number: 1, result: new FlotillaError("NOT_FOUND", 'the agent does not follow "pods"') });
  expect(outcome()).toBe('NOT_FOUND: the agent of east did not follow the hint: the agent does not follow "pods"');
  expect(rig.count("NOT_FOUND")).toBe(1);
});

describe("[SE65] an answer counts only in the session of its hint", () => {
  test.each([
    ["of another cluster", { cluster: "west" }, 1],
    ["of an earlier session", { epoch: 0 }, 1],
    ["of a shard that does not collect", { shard: "blue" }, 1],
    ["with another number", {}, 2],
  ])("not one %s", async (_what, change, number) => {
    const outcome = rig.give();
    await rig.answer({ number, result: "refreshed" }, change);
    expect(outcome()).toBeUndefined();
    await rig.answer({ number: 1, result: "unchanged" });
    expect(outcome()).toBe("unchanged");
  });

  test("one that comes twice or late does no harm", async () => {
    const outcome = rig.give();
    await rig.answer({ number: 1, result: "unchanged" });
    await rig.answer({ number: 1, result: "refreshed" });
    expect(outcome()).toBe("unchanged");
  });
});

describe("[SE69] a cluster that is away", () => {
  test("is an outcome, at once", async () => {
    rig.hintObject = () => ({ kind: "notConnected" });
    const outcome = rig.give();
    await settle();
    expect([outcome(), rig.count("clusterAway")]).toEqual(["clusterAway", 1]);
  });

  test("also if the session ends before the answer, or at the moment of the hint", async () => {
    const outcome = rig.give();
    await rig.end({ cluster: "west" });
    await rig.end({ epoch: 0 });
    expect(outcome()).toBeUndefined();
    await rig.end();
    expect(outcome()).toBe("clusterAway");
    rig.hintObject = () => {
      void rig.end({ epoch: 2 });
      return { kind: "asked", epoch: 2 };
    };
    const second = rig.give();
    await settle();
    expect(second()).toBe("clusterAway");
  });

  test.each([
    ["notServed", /^UNIMPLEMENTED: the agent of east takes no hints; upgrade it/],
    ["paused", /^UNAVAILABLE: east is paused, so its rows do not change; `flotilla cluster resume east` resumes it$/],
  ] as const)("an agent that is %s is an error with what to do", async (kind, sentence) => {
    rig.hintObject = () => ({ kind });
    const outcome = rig.give();
    await settle();
    expect(outcome()).toMatch(sentence);
  });
});

describe("[SE66] bounds", () => {
  test("twenty at once, then five a second for each cluster; the others are refused and not sent", async () => {
    rig.hintObject = () => ({ kind: "notConnected" });
    const outcomes = Array.from({ length: 30 }, () => rig.give());
    const other = rig.give("west");
    await settle();
    expect(outcomes.filter((outcome) => outcome() === "clusterAway")).toHaveLength(20);
    expect(outcomes.at(-1)?.()).toBe(
      "OVERLOADED: east takes 5 hints a second, and 20 at once after a pause; try again later",
    );
    expect(other()).toBe("clusterAway");
    await rig.clock.advance(1_000);
    const later = Array.from({ length: 30 }, () => rig.give());
    await settle();
    expect(later.filter((outcome) => outcome() === "clusterAway")).toHaveLength(5);
    expect(rig.sent).toHaveLength(26);
  });

  test("eight of a cluster wait for their answer, and no longer than 10 s", async () => {
    const outcomes = Array.from({ length: 9 }, () => rig.give());
    await settle();
    expect(outcomes[8]?.()).toBe("OVERLOADED: 8 hints of east await their answer; try again later");
    await rig.clock.advance(9_999);
    expect(outcomes[0]?.()).toBeUndefined();
    await rig.clock.advance(1);
    for (const outcome of outcomes.slice(0, 8)) expect(outcome()).toMatch(/^DEADLINE_EXCEEDED/);
    const next = rig.give();
    await rig.answer({ number: 9, result: "unchanged" });
    expect(next()).toBe("unchanged");
  });

  test("a caller that leaves frees its place", async () => {
    const leaving = new AbortController();
    for (let at = 0; at < 8; at += 1) rig.give("east", leaving.signal);
    await settle();
    leaving.abort(new Error("the caller left"));
    await settle();
    expect(rig.count("left")).toBe(8);
    const next = rig.give();
    await rig.answer({ number: 9, result: "unchanged" });
    expect(next()).toBe("unchanged");
  });
});
