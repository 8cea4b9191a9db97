// SPDX-License-Identifier: Apache-2.0
// Predicates over labels alone: each label set is tested once, never a row.
import { assert } from "../../base/assert.ts";
import type { Predicate } from "../language/query-predicate.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import { matchLabels } from "./field-filter.ts";
import { type IdMatch, intersectMatches, invertMatch, uniteMatches } from "./id-match.ts";
import type { ScanScratch } from "./keep-rows.ts";

/** Whether labels alone decide. */
export function isOfLabels(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case "label":
      return true;
    case "and":
    case "or":
      return predicate.parts.length > 0 && predicate.parts.every(isOfLabels);
    case "not":
      return isOfLabels(predicate.of);
    default:
      return false;
  }
}

/** The label sets of a cluster that pass a predicate over labels alone. Valid until `scratch` is used for another one. */
export function matchLabelSets(predicate: Predicate, texts: ClusterTexts, scratch: ScanScratch): IdMatch {
  const { count } = texts.maps;
  switch (predicate.kind) {
    case "label":
      return matchLabels(texts, predicate, scratch);
    case "not":
      return invertMatch(matchLabelSets(predicate.of, texts, scratch), count, scratch);
    case "or":
      return uniteMatches(
        predicate.parts.map((part) => matchLabelSets(part, texts, scratch)),
        count,
        scratch,
      );
    default: {
      assert(predicate.kind === "and", "labels alone decide");
      return intersectMatches(
        predicate.parts.map((part) => matchLabelSets(part, texts, scratch)),
        count,
        scratch,
      );
    }
  }
}
