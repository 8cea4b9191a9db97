// SPDX-License-Identifier: Apache-2.0
import type { SampledRequest } from "../../session/access-samples/access-sample.ts";
import { cleanRoundCount, type DriftState, driftOf } from "./drift-state.ts";
import type { DriftDirection } from "./judge-sample.ts";

const ofDirection: Readonly<Record<DriftDirection, { readonly difference: string; readonly effect: string }>> = {
  shownButDenied: {
    difference: "The cluster denies a request that its RBAC objects allow",
    effect: "Its rows are withheld from users",
  },
  hiddenButAllowed: {
    difference: "The cluster allows a request that its RBAC objects do not allow",
    effect: "Its rows are marked as possibly incomplete",
  },
};

/**
 * The drift of a cluster in two sentences; "" without drift. For administrators: it names a user and what the user
 * asked for. `canReview` is false if the agent cannot review access now.
 */
export function driftSentence(state: DriftState, canReview: boolean): string {
  const drift = driftOf(state);
  if (drift === "none") return "";
  const { difference, effect } = ofDirection[drift];
  const example = state.differing.find(({ direction }) => direction === drift);
  const shown = example === undefined ? "" : ` (${requestText(example.request)})`;
  const cleanCount = state.cleanRounds[drift] ?? 0;
  const end = `until ${cleanRoundCount} rounds of samples in a row agree; ${cleanCount} have`;
  const stopped = canReview ? "" : ", and the agent reviews no access now";
  return `${difference}${shown}. ${effect} ${end}${stopped}.`;
}

/** `alice, list apps/deployments in shop`. */
export function requestText({ user, verb, group, resource, namespace, name }: SampledRequest): string {
  const id = group === "" ? resource : `${group}/${resource}`;
  const named = name === "" ? "" : ` ${name}`;
  return `${user}, ${verb} ${id}${named}${namespace === "" ? "" : ` in ${namespace}`}`;
}
