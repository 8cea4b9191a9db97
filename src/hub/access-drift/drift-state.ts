// SPDX-License-Identifier: Apache-2.0
// When drift of a cluster begins and ends (RB81). Pure.
import type { GrantsDrift } from "../../index/access/judge-grants.ts";
import { type SampledRequest, takeOrder } from "../../session/access-samples/access-sample.ts";
import type { DriftDirection, SampleOutcome } from "./judge-sample.ts";

/** Clean rounds in a row after which drift has ended. */
export const cleanRoundCount = 3;

/** A request whose answers differed. */
export interface DifferingRequest {
  readonly request: SampledRequest;
  readonly direction: DriftDirection;
}

/** The drift of one cluster. */
export interface DriftState {
  /** Asked again in each round while their direction drifts; the newest first. */
  readonly differing: readonly DifferingRequest[];
  /** The clean rounds since the last difference in this direction; undefined without drift in it. */
  readonly cleanRounds: Readonly<Record<DriftDirection, number | undefined>>;
}

/** A sample of a round, and its result. */
export interface JudgedSample {
  readonly request: SampledRequest;
  readonly outcome: SampleOutcome;
}

/** The samples of one round. */
export interface DriftRound {
  /** Results of `differing`; those that were not asked are missing. */
  readonly repeated: readonly JudgedSample[];
  /** Results of newly drawn samples. */
  readonly fresh: readonly JudgedSample[];
}

/** Every cluster at first. */
export const noDrift: DriftState = {
  differing: [],
  cleanRounds: { shownButDenied: undefined, hiddenButAllowed: undefined },
};

const directions: readonly DriftDirection[] = ["shownButDenied", "hiddenButAllowed"];

/** The drift to report: rows that must not be shown count before rows that are missing. */
export function driftOf({ cleanRounds }: DriftState): GrantsDrift {
  return directions.find((direction) => cleanRounds[direction] !== undefined) ?? "none";
}

/** The state after a round. `maxDiffering` bounds the requests that are asked again; the newest stay. */
export function stepDrift(state: DriftState, round: DriftRound, maxDiffering: number): DriftState {
  const found = findDifferences(round);
  const cleanRounds = {
    shownButDenied: countClean(state, round, found, "shownButDenied"),
    hiddenButAllowed: countClean(state, round, found, "hiddenButAllowed"),
  };
  const isNew = ({ request }: DifferingRequest): boolean =>
    found.every((each) => !isSameRequest(each.request, request));
  const differing = [...found, ...state.differing.filter(isNew)].filter(
    ({ direction }) => cleanRounds[direction] !== undefined,
  );
  return { differing: keepNewest(differing, maxDiffering), cleanRounds };
}

/**
 * The requests to ask again: first those whose drift withholds rows. A request that no order has room for could never
 * agree, so all that stay fit into one (SE63).
 */
export function keepNewest(differing: readonly DifferingRequest[], maxDiffering: number): readonly DifferingRequest[] {
  const sorted = differing
    .toSorted((a, b) => directions.indexOf(a.direction) - directions.indexOf(b.direction))
    .slice(0, maxDiffering);
  return sorted.slice(0, takeOrder(sorted.map(({ request }) => request)).length);
}

/**
 * The state of two hubs that both changed it: drift of either is drift, with the fewer clean rounds. The requests of `a`
 * count as newer.
 */
export function joinDrift(a: DriftState, b: DriftState, maxDiffering: number): DriftState {
  const fewer = (direction: DriftDirection): number | undefined => {
    const [ours, theirs] = [a.cleanRounds[direction], b.cleanRounds[direction]];
    return ours === undefined || theirs === undefined ? (ours ?? theirs) : Math.min(ours, theirs);
  };
  const isNew = ({ request }: DifferingRequest): boolean =>
    a.differing.every((each) => !isSameRequest(each.request, request));
  return {
    differing: keepNewest([...a.differing, ...b.differing.filter(isNew)], maxDiffering),
    cleanRounds: { shownButDenied: fewer("shownButDenied"), hiddenButAllowed: fewer("hiddenButAllowed") },
  };
}

/** Whether two states are the same in every part. */
export function isSameDrift(a: DriftState, b: DriftState): boolean {
  const textOf = ({ differing, cleanRounds }: DriftState): string =>
    JSON.stringify([
      differing.map(({ request, direction }) => [direction, requestKey(request)]),
      directions.map((direction) => cleanRounds[direction] ?? null),
    ]);
  return textOf(a) === textOf(b);
}

/** The differences of a round, each once. */
function findDifferences({ repeated, fresh }: DriftRound): readonly DifferingRequest[] {
  const found: DifferingRequest[] = [];
  for (const { request, outcome } of [...fresh, ...repeated]) {
    if (outcome !== "shownButDenied" && outcome !== "hiddenButAllowed") continue;
    const isKnown = found.some((each) => each.direction === outcome && isSameRequest(each.request, request));
    if (!isKnown) found.push({ request, direction: outcome });
  }
  return found;
}

function countClean(
  { differing, cleanRounds }: DriftState,
  round: DriftRound,
  found: readonly DifferingRequest[],
  direction: DriftDirection,
): number | undefined {
  if (found.some((each) => each.direction === direction)) return 0;
  const count = cleanRounds[direction];
  if (count === undefined) return undefined;
  const same = differing.filter((each) => each.direction === direction).map(({ request }) => request);
  if (!isClean(round, same)) return count;
  return count + 1 >= cleanRoundCount ? undefined : count + 1;
}

/** The same requests were asked again and agree, and so do fresh ones if any were drawn; something was answered. */
function isClean({ repeated, fresh }: DriftRound, same: readonly SampledRequest[]): boolean {
  const hasAgreed = ({ outcome }: JudgedSample): boolean => outcome === "agreed";
  const isRepeated = (request: SampledRequest): boolean =>
    repeated.some((each) => hasAgreed(each) && isSameRequest(each.request, request));
  const isFreshAgreed = fresh.length === 0 ? repeated.some(hasAgreed) : fresh.some(hasAgreed);
  return isFreshAgreed && same.every(isRepeated);
}

/** Whether two requests are the same in every part. */
export function isSameRequest(a: SampledRequest, b: SampledRequest): boolean {
  return requestKey(a) === requestKey(b);
}

function requestKey({ user, groups, verb, group, resource, namespace, name }: SampledRequest): string {
  return JSON.stringify([user, groups, verb, group, resource, namespace, name]);
}
