// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  type ApiServerInput,
  type ApiServerSettings,
  type ApiServerState,
  type ApiServerVerdict,
  createApiServerState,
  type ProbeFault,
  stepApiServer,
  toApiServerReport,
} from "./api-server-health.ts";
import { createThresholds } from "./thresholds.ts";

const settings: ApiServerSettings = {
  ...createThresholds(),
  isPolled: true,
  retry: { firstMs: 500, factor: 2, capMs: 10_000 },
};

/** An API server that answers probes as it is told, and a clock that moves from due time to due time. */
class Rig {
  nowMs = 0;
  state: ApiServerState;
  /** What each probe ends with; "hangs" = it never ends. */
  answer: ProbeFault | "hangs" = "";
  readonly probesMs: number[] = [];
  readonly verdicts: string[] = [];
  #nextDueMs: number | undefined;
  /** Half of each ceiling, so that delays are known. */
  readonly #chance = 0.5;

  constructor(given: Partial<ApiServerSettings> = {}) {
    this.state = createApiServerState({ ...settings, ...given }, 0);
    this.step({ kind: "timePassed" });
  }

  step(input: ApiServerInput): void {
    const before = this.state.verdict;
    const { state, startProbe, nextDueMs } = stepApiServer(this.state, input, {
      nowMs: this.nowMs,
      chance: this.#chance,
    });
    this.state = state;
    this.#nextDueMs = nextDueMs;
    if (state.verdict !== before) this.verdicts.push(`${this.nowMs}: ${state.verdict} ${state.fault}`.trim());
    if (startProbe === undefined) return;
    this.probesMs.push(this.nowMs);
    if (this.answer !== "hangs") this.step({ kind: "probed", number: startProbe, fault: this.answer, error: "" });
  }

  advanceTo(untilMs: number): void {
    while (this.#nextDueMs !== undefined && this.#nextDueMs <= untilMs) {
      this.nowMs = Math.max(this.nowMs, this.#nextDueMs);
      this.step({ kind: "timePassed" });
    }
    this.nowMs = untilMs;
  }
}

describe("the agent's judgement of its API server", () => {
  test("[R-7, L11] an API server that answers is probed every interval, from the start", () => {
    const rig = new Rig();
    rig.advanceTo(35_000);
    expect(rig.probesMs).toEqual([0, 10_000, 20_000, 30_000]);
    expect(rig.verdicts).toEqual(["0: answers"]);
  });

  test.each<ProbeFault>(["unauthorized", "tls", "dns", "tcp"])(
    "[HE5] %s counts as lost once a second probe, at once, confirms it",
    (fault) => {
      const rig = new Rig();
      rig.answer = fault;
      rig.advanceTo(10_000);
      expect(rig.probesMs).toEqual([0, 10_000, 10_000]);
      expect(rig.verdicts).toEqual(["0: answers", `10000: lost ${fault}`]);
      expect(toApiServerReport(rig.state, 10_000)).toMatchObject({ fault, attemptCount: 0, retryInMs: 250 });
    },
  );

  test("[HE5] one failed probe that the second does not confirm is no loss", () => {
    const rig = new Rig();
    rig.advanceTo(9_000);
    rig.nowMs = 10_000;
    rig.answer = "hangs";
    rig.step({ kind: "timePassed" });
    rig.answer = "";
    rig.step({ kind: "probed", number: 2, fault: "tcp", error: "reset" });
    expect(rig.verdicts).toEqual(["0: answers"]);
    expect(rig.probesMs).toEqual([0, 10_000, 10_000]);
  });

  test("[HE5, R-9] a swallowed connection is lost after one interval and one deadline, and a late answer is not heard", () => {
    const rig = new Rig();
    rig.answer = "hangs";
    rig.advanceTo(14_999);
    expect(rig.state.verdict).toBe("answers");
    rig.advanceTo(15_000);
    expect(rig.verdicts).toEqual(["0: answers", "15000: lost timeout"]);
    rig.step({ kind: "probed", number: 2, fault: "", error: "" });
    expect(rig.state.verdict).toBe("lost");
  });

  test("[R-8] a watch that breaks is followed by a probe at once, in less than one interval", () => {
    const rig = new Rig();
    rig.advanceTo(3_000);
    rig.answer = "tcp";
    rig.step({ kind: "watchBroke" });
    expect(rig.verdicts).toEqual(["0: answers", "3000: lost tcp"]);
  });

  test("[R-31] with polling off there is no probe without a reason, and a closed watch still leads to detection", () => {
    const rig = new Rig({ isPolled: false });
    rig.advanceTo(600_000);
    expect(rig.probesMs).toEqual([0]);
    rig.answer = "tcp";
    rig.step({ kind: "watchBroke" });
    expect(rig.state.verdict).toBe("lost");
    rig.answer = "";
    rig.advanceTo(610_000);
    expect(rig.state.verdict).toBe("answers");
  });

  test("[R-26] one outage with 20 error signals leads to one attempt per backoff step", () => {
    const [noisy, quiet] = [new Rig(), new Rig()];
    for (const rig of [noisy, quiet]) {
      rig.answer = "tcp";
      rig.advanceTo(10_000);
      for (let nowMs = 10_100; nowMs <= 60_000; nowMs += 100) {
        rig.advanceTo(nowMs);
        if (rig === noisy) for (let signal = 0; signal < 20; signal += 1) rig.step({ kind: "watchBroke" });
      }
    }
    expect(noisy.probesMs).toEqual(quiet.probesMs);
    expect(noisy.state.attemptCount).toBe(quiet.probesMs.length - 3);
    expect(noisy.verdicts).toEqual(["0: answers", "10000: lost tcp"]);
  });

  test("[SE45] an asked probe comes at once whatever the backoff; asking again within a second starts none", () => {
    const rig = new Rig();
    rig.answer = "tcp";
    rig.advanceTo(120_000);
    const { nextDueMs } = stepApiServer(rig.state, { kind: "timePassed" }, { nowMs: rig.nowMs, chance: 0.5 });
    expect(nextDueMs).toBeGreaterThan(rig.nowMs);
    const before = [rig.probesMs.length, rig.state.attemptCount] as const;
    for (let asking = 0; asking < 20; asking += 1) rig.step({ kind: "probeAsked" });
    expect(rig.probesMs.slice(before[0])).toEqual([120_000]);
    expect(rig.state.attemptCount).toBe(before[1] + 1);
    rig.nowMs = 120_999;
    rig.step({ kind: "probeAsked" });
    expect(rig.probesMs).toHaveLength(before[0] + 1);
    rig.answer = "";
    rig.nowMs = 121_000;
    rig.step({ kind: "probeAsked" });
    expect(rig.verdicts.at(-1)).toBe("121000: answers");
  });

  test.each<ProbeFault>(["", "tcp", "serverError"])(
    "[SE45] [R-10] a probe under way that ends with %j is followed by the asked one, never beside it",
    (fault) => {
      for (const isLost of [true, false]) {
        const rig = new Rig();
        if (isLost) rig.answer = "tcp";
        rig.advanceTo(10_000);
        rig.answer = "hangs";
        rig.nowMs = 20_000;
        rig.step({ kind: "timePassed" });
        const number = rig.state.probeNumber;
        const probeCount = rig.probesMs.length;
        rig.nowMs = 21_000;
        rig.step({ kind: "probeAsked" });
        expect(rig.probesMs).toHaveLength(probeCount);
        rig.step({ kind: "probed", number, fault, error: "" });
        expect(rig.probesMs.slice(probeCount)).toEqual([21_000]);
      }
    },
  );

  test("[SE45] a probe that is swallowed is followed by the asked one at its deadline", () => {
    const rig = new Rig();
    rig.answer = "hangs";
    rig.advanceTo(12_000);
    rig.step({ kind: "probeAsked" });
    rig.answer = "";
    rig.advanceTo(15_000);
    expect(rig.probesMs).toEqual([0, 10_000, 15_000]);
    expect(rig.verdicts).toEqual(["0: answers", "15000: lost timeout", "15000: answers"]);
  });

  test("[R-10] signals that come while a probe is under way start no second one", () => {
    const rig = new Rig();
    rig.advanceTo(1_000);
    rig.answer = "hangs";
    for (let signal = 0; signal < 20; signal += 1) rig.step({ kind: "watchBroke" });
    expect(rig.probesMs).toEqual([0, 1_000]);
    rig.answer = "";
    rig.step({ kind: "probed", number: 2, fault: "", error: "" });
    expect(rig.probesMs).toEqual([0, 1_000, 1_000]);
  });

  test("[R-13] after 1,000 failed attempts the next one succeeds", () => {
    const rig = new Rig();
    rig.answer = "dns";
    while (rig.state.attemptCount < 1_000) rig.advanceTo(rig.nowMs + 10_000);
    rig.answer = "";
    rig.advanceTo(rig.nowMs + 10_000);
    expect(rig.verdicts.map((line) => line.split(" ")[1])).toEqual(["answers", "lost", "answers"]);
    expect(rig.state.attemptCount).toBe(0);
  });

  test("[R-27] the late result of a replaced connection is ignored and starts nothing", () => {
    const rig = new Rig();
    rig.advanceTo(9_000);
    rig.nowMs = 10_000;
    rig.answer = "hangs";
    rig.step({ kind: "timePassed" });
    rig.step({ kind: "connectionReplaced" });
    expect(rig.probesMs).toEqual([0, 10_000, 10_000]);
    rig.step({ kind: "probed", number: 2, fault: "unauthorized", error: "old" });
    rig.step({ kind: "probed", number: 2, fault: "timeout", error: "old" });
    rig.answer = "";
    rig.step({ kind: "probed", number: 3, fault: "", error: "" });
    expect(rig.probesMs).toEqual([0, 10_000, 10_000]);
    expect(rig.verdicts).toEqual(["0: answers"]);
  });

  test.each<[ProbeFault, string]>([
    ["overloaded", "overloaded"],
    ["serverError", "serverError"],
    ["malformed", "serverError"],
  ])("[HE5] %s is told as degraded, and lost from the third in a row", (fault, told) => {
    const rig = new Rig();
    rig.answer = fault;
    rig.advanceTo(29_000);
    expect(rig.verdicts).toEqual(["0: answers", "10000: degraded"]);
    expect(toApiServerReport(rig.state, 29_000).fault).toBe("");
    rig.advanceTo(30_000);
    expect(rig.verdicts.at(-1)).toBe(`30000: lost ${told}`);
  });

  test("[HE5] an answer in between begins the count of degraded ones anew", () => {
    const rig = new Rig();
    for (const [untilMs, fault] of [
      [20_000, "serverError"],
      [30_000, ""],
      [50_000, "serverError"],
    ] as const) {
      rig.answer = fault;
      rig.advanceTo(untilMs);
    }
    expect(rig.state.verdict).toBe("degraded");
  });

  test.each<ProbeFault>(["", "forbidden", "notFound", "conflict", "expired"])(
    "[HE5, R-30] the answer %j shows that it is there",
    (fault) => {
      const rig = new Rig();
      rig.answer = fault;
      rig.advanceTo(60_000);
      expect(rig.verdicts).toEqual(["0: answers"]);
    },
  );

  test("[HE5] any answered request brings a lost API server back", () => {
    const rig = new Rig();
    rig.answer = "tcp";
    rig.advanceTo(10_000);
    rig.step({ kind: "answered" });
    expect(rig.state.verdict).toBe("answers");
  });

  test("[HE4] before the first answer a heartbeat does not say that it answers", () => {
    const state = createApiServerState(settings, 0);
    expect(toApiServerReport(state, 100).fault).not.toBe("");
  });

  test("[HE9] how long it has been lost is a duration", () => {
    const rig = new Rig();
    rig.answer = "tls";
    rig.advanceTo(25_000);
    expect(toApiServerReport(rig.state, 25_000).sinceMsAgo).toBe(15_000);
  });

  test("every verdict takes every input", () => {
    const verdicts: readonly ApiServerVerdict[] = ["unknown", "answers", "degraded", "lost"];
    const inputs: readonly ApiServerInput[] = [
      { kind: "timePassed" },
      { kind: "probed", number: 1, fault: "tcp", error: "" },
      { kind: "watchBroke" },
      { kind: "probeAsked" },
      { kind: "answered" },
      { kind: "connectionReplaced" },
    ];
    for (const verdict of verdicts) {
      for (const input of inputs) {
        const start = { ...createApiServerState(settings, 0), verdict };
        const { nextDueMs } = stepApiServer(start, input, { nowMs: 0, chance: 0 });
        expect(nextDueMs, `${verdict} ${input.kind}`).toBeGreaterThanOrEqual(0);
      }
    }
  });
});
