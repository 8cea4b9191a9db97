// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type SampledRequest, takeOrder } from "../../session/access-samples/access-sample.ts";
import { fromDriftValue, toDriftValue } from "./drift-record.ts";
import {
  cleanRoundCount,
  type DriftRound,
  type DriftState,
  driftOf,
  isSameDrift,
  joinDrift,
  noDrift,
  stepDrift,
} from "./drift-state.ts";
import type { DriftDirection, SampleOutcome } from "./judge-sample.ts";

const maxDiffering = 3;

function requestOf(user: string): SampledRequest {
  return { user, groups: [], verb: "list", group: "", resource: "pods", namespace: "", name: "" };
}

const outcomes: readonly SampleOutcome[] = ["agreed", "shownButDenied", "hiddenButAllowed", "raced", "unanswered"];
const outcome = fc.constantFrom(...outcomes);
const freshSamples = fc.array(fc.record({ user: fc.constantFrom("a", "b", "c", "d", "e"), outcome }), { maxLength: 4 });

/** What a round draws, and how the requests that are asked again turn out. */
const plannedRound = fc.record({ fresh: freshSamples, repeated: fc.array(outcome, { maxLength: maxDiffering }) });
type PlannedRound = typeof plannedRound extends fc.Arbitrary<infer Round> ? Round : never;

/** The round of a plan; a request without a planned outcome was not asked again. */
function toRound(state: DriftState, { fresh, repeated }: PlannedRound): DriftRound {
  return {
    fresh: fresh.map(({ user, outcome: result }) => ({ request: requestOf(user), outcome: result })),
    repeated: state.differing.flatMap(({ request }, at) => {
      const result = repeated[at];
      return result === undefined ? [] : [{ request, outcome: result }];
    }),
  };
}

/** The rule of RB81 for one direction, read off a whole history. */
class NaiveDirection {
  readonly #direction: DriftDirection;
  isDrifted = false;
  #cleanCount = 0;

  constructor(direction: DriftDirection) {
    this.#direction = direction;
  }

  take(before: DriftState, { fresh, repeated }: DriftRound): void {
    const all = [...fresh, ...repeated];
    if (all.some((each) => each.outcome === this.#direction)) {
      this.isDrifted = true;
      this.#cleanCount = 0;
      return;
    }
    const same = before.differing.filter(({ direction }) => direction === this.#direction);
    const didSameAgree = same.every(({ request }) =>
      repeated.some((each) => each.request.user === request.user && each.outcome === "agreed"),
    );
    const didFreshAgree = (fresh.length === 0 ? repeated : fresh).some((each) => each.outcome === "agreed");
    if (!didSameAgree || !didFreshAgree) return;
    this.#cleanCount += 1;
    if (this.#cleanCount >= cleanRoundCount) this.isDrifted = false;
  }
}

test("[RB81] [RB82] drift begins with a difference and ends after three clean rounds in a row, for any history", () => {
  fc.assert(
    fc.property(fc.array(plannedRound, { maxLength: 25 }), (plans) => {
      const shown = new NaiveDirection("shownButDenied");
      const hidden = new NaiveDirection("hiddenButAllowed");
      let state = noDrift;
      for (const plan of plans) {
        const round = toRound(state, plan);
        for (const each of [shown, hidden]) each.take(state, round);
        state = stepDrift(state, round, maxDiffering);
        const expected = shown.isDrifted ? "shownButDenied" : hidden.isDrifted ? "hiddenButAllowed" : "none";
        expect(driftOf(state)).toBe(expected);
        expect(state.differing.length).toBeLessThanOrEqual(maxDiffering);
        if (expected === "none") expect(state.differing).toEqual([]);
      }
    }),
  );
});

/** The state after a history. */
function play(plans: readonly PlannedRound[]): DriftState {
  let state = noDrift;
  for (const plan of plans) state = stepDrift(state, toRound(state, plan), maxDiffering);
  return state;
}

const history = fc.array(plannedRound, { maxLength: 10 });

test("[RB83] what is stored is read again, of any history, and no drift is no row", () => {
  fc.assert(
    fc.property(history, (plans) => {
      const state = play(plans);
      const value = toDriftValue(state);
      const read = (max: number) => (value === null ? noDrift : fromDriftValue(value, max));
      expect(value === null).toBe(driftOf(state) === "none");
      expect(read(maxDiffering)).toEqual(state);
      expect(read(1)).toEqual({ ...state, differing: state.differing.slice(0, 1) });
    }),
  );
});

test("[RB83] the joined state of two hubs has the drift of both, and no more clean rounds than either", () => {
  fc.assert(
    fc.property(history, history, (ours, theirs) => {
      const [a, b] = [play(ours), play(theirs)];
      const joined = joinDrift(a, b, maxDiffering);
      for (const direction of ["shownButDenied", "hiddenButAllowed"] as const) {
        const counts = [a, b].flatMap(({ cleanRounds }) => cleanRounds[direction] ?? []);
        expect(joined.cleanRounds[direction]).toBe(counts.length === 0 ? undefined : Math.min(...counts));
      }
      expect(joined.differing.length).toBeLessThanOrEqual(maxDiffering);
      expect(isSameDrift(joinDrift(a, a, maxDiffering), a)).toBe(true);
      expect(isSameDrift(joinDrift(a, noDrift, maxDiffering), a)).toBe(true);
    }),
  );
});

test("[RB83] joined requests of many groups fit into one order: one that is never asked again could never agree", () => {
  const groups = Array.from({ length: 15 }, (_none, at) => `${at}${"g".repeat(1_000)}`);
  const [a, b] = ["ours", "theirs"].map((side) =>
    Array.from({ length: 6 }, (_none, at) => ({ ...requestOf(`${side} ${at}`), groups })).map((request) => ({
      fresh: [{ request, outcome: "shownButDenied" as const }],
      repeated: [],
    })),
  );
  const stateOf = (rounds: readonly DriftRound[] = []) =>
    rounds.reduce((state, round) => stepDrift(state, round, 15), noDrift);
  const { differing } = joinDrift(stateOf(a), stateOf(b), 15);
  const requests = differing.map(({ request }) => request);
  expect(requests.length).toBeGreaterThan(6);
  expect(takeOrder(requests)).toEqual(requests);
});

function roundOf(fresh: readonly SampleOutcome[], repeated: DriftRound["repeated"] = []): DriftRound {
  return { fresh: fresh.map((result, at) => ({ request: requestOf(`new ${at}`), outcome: result })), repeated };
}

/** The rounds that follow, with every request that is asked again of this outcome. */
function follow(state: DriftState, fresh: readonly SampleOutcome[], again: SampleOutcome): DriftState {
  const repeated = state.differing.map(({ request }) => ({ request, outcome: again }));
  return stepDrift(state, roundOf(fresh, repeated), maxDiffering);
}

test("[RB81] the same request has to agree in each of the rounds, not the new ones alone", () => {
  let state = stepDrift(noDrift, roundOf(["shownButDenied", "agreed"]), maxDiffering);
  for (let round = 0; round < 5; round += 1) state = follow(state, ["agreed", "agreed"], "unanswered");
  expect(driftOf(state)).toBe("shownButDenied");
  for (let round = 0; round < 2; round += 1) state = follow(state, ["agreed"], "agreed");
  expect(driftOf(state)).toBe("shownButDenied");
  expect(driftOf(follow(state, ["agreed"], "agreed"))).toBe("none");
  state = follow(state, ["agreed"], "shownButDenied");
  for (let round = 0; round < 2; round += 1) state = follow(state, ["agreed"], "agreed");
  expect(driftOf(state)).toBe("shownButDenied");
});

test("[RB81] without users to draw new samples of, the same requests are enough", () => {
  let state = stepDrift(noDrift, roundOf(["hiddenButAllowed"]), maxDiffering);
  for (let round = 0; round < cleanRoundCount; round += 1) state = follow(state, [], "agreed");
  expect(driftOf(state)).toBe("none");
});

test("[RB81] of both directions the one that withholds rows counts, and the other remains after it", () => {
  const both = roundOf(["hiddenButAllowed", "shownButDenied"]);
  let state = stepDrift(noDrift, both, maxDiffering);
  expect(driftOf(state)).toBe("shownButDenied");
  const outcomeNow = (direction: DriftDirection): SampleOutcome =>
    direction === "shownButDenied" ? "agreed" : "hiddenButAllowed";
  for (let round = 0; round < cleanRoundCount; round += 1) {
    const repeated = state.differing.map(({ request, direction }) => ({ request, outcome: outcomeNow(direction) }));
    state = stepDrift(state, roundOf(["agreed"], repeated), maxDiffering);
  }
  expect(driftOf(state)).toBe("hiddenButAllowed");
});
