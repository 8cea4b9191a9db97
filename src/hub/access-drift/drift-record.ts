// SPDX-License-Identifier: Apache-2.0
import { FieldReader } from "../../model/field-reader.ts";
import { isReviewable } from "../../session/access-samples/access-sample.ts";
import type { ValueOf } from "../../store/table.ts";
import type { accessDrift } from "../../store/tables.ts";
import { cleanRoundCount, type DifferingRequest, type DriftState, driftOf, keepNewest } from "./drift-state.ts";

/** The value of a row of `access_drift`. */
export type DriftValue = ValueOf<typeof accessDrift>;

/** Drift of which nothing is known but that rows must not be shown. New samples end it. */
const unreadableDrift: DriftState = {
  differing: [],
  cleanRounds: { shownButDenied: 0, hiddenButAllowed: undefined },
};

/** Null without drift: such a cluster has no row. */
export function toDriftValue(state: DriftState): DriftValue | null {
  if (driftOf(state) === "none") return null;
  return {
    shown_clean_rounds: state.cleanRounds.shownButDenied ?? null,
    hidden_clean_rounds: state.cleanRounds.hiddenButAllowed ?? null,
    differing: JSON.stringify(state.differing),
  };
}

/**
 * Parses the output of `toDriftValue`. Of more requests than `maxDiffering` the newest stay. Undefined if the value is
 * corrupt; see `orUnreadable`.
 */
export function fromDriftValue(value: DriftValue, maxDiffering: number): DriftState | undefined {
  const [shown, hidden] = [toCleanRounds(value.shown_clean_rounds), toCleanRounds(value.hidden_clean_rounds)];
  const differing = parseDiffering(value.differing);
  if (shown === "corrupt" || hidden === "corrupt" || differing === undefined) return undefined;
  const cleanRounds = { shownButDenied: shown, hiddenButAllowed: hidden };
  const known = differing.filter(({ direction }) => cleanRounds[direction] !== undefined);
  const state = { differing: keepNewest(known, maxDiffering), cleanRounds };
  return driftOf(state) === "none" ? undefined : state;
}

/** What cannot be read withholds the rows (L16). */
export function orUnreadable(state: DriftState | undefined): DriftState {
  return state ?? unreadableDrift;
}

function toCleanRounds(stored: number | null): number | undefined | "corrupt" {
  if (stored === null) return undefined;
  return stored >= 0 && stored < cleanRoundCount ? stored : "corrupt";
}

function parseDiffering(text: string): readonly DifferingRequest[] | undefined {
  const fields = FieldReader.ofJson(`{"differing":${text}}`);
  const differing = fields.entries("differing").map(parseRequest);
  return fields.mistakes.length === 0 && differing.every((each) => each !== undefined) ? differing : undefined;
}

function parseRequest(fields: FieldReader): DifferingRequest | undefined {
  const direction = fields.requiredText("direction", /^(shownButDenied|hiddenButAllowed)$/);
  const parts = fields.below("request");
  if (parts === undefined) return undefined;
  const request = {
    user: parts.requiredText("user"),
    groups: parts.texts("groups"),
    verb: parts.requiredText("verb"),
    group: parts.text("group") ?? "",
    resource: parts.requiredText("resource"),
    namespace: parts.text("namespace") ?? "",
    name: parts.text("name") ?? "",
  };
  if (!isReviewable(request)) return undefined;
  return { request, direction: direction === "shownButDenied" ? "shownButDenied" : "hiddenButAllowed" };
}
