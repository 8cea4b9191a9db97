// SPDX-License-Identifier: Apache-2.0
import type { Citation } from "../../scripts/citations.ts";
import { duplicateIds, type IdSection } from "../../scripts/requirement-ids.ts";
import type { Violation } from "./source-tree.ts";

/** Ids that tests cite and no document has; an id given twice. */
export function checkKnownIds(sections: readonly IdSection[], citations: readonly Citation[]): Violation[] {
  const known = new Set(sections.flatMap(({ ids }) => ids.map(({ id }) => id)));
  const unknown = citations.flatMap(({ file, ids, name }) =>
    ids
      .filter((id) => !known.has(id))
      .map((id) => ({ rule: "unknown-id", path: file, line: 1, message: `${id} is in no document: ${name}` })),
  );
  const twice = duplicateIds(sections).map((id) => ({
    rule: "duplicate-id",
    path: "docs",
    line: 1,
    message: `${id} stands in two places`,
  }));
  return [...unknown, ...twice];
}

/**
 * Spec rules that no test cites and that do not say "(later". Requirements and laws may be open; a rule is written to
 * be kept.
 */
export function checkSpecRules(sections: readonly IdSection[], citations: readonly Citation[]): Violation[] {
  const cited = new Set(citations.flatMap(({ ids }) => ids));
  return sections
    .filter(({ kind }) => kind === "spec")
    .flatMap(({ title, ids }) =>
      ids
        .filter(({ id, isLater }) => !isLater && !cited.has(id))
        .map(({ id, text }) => ({
          rule: "spec-rule",
          path: title,
          line: 1,
          message: `no test cites ${id}: ${text.slice(0, 80)}`,
        })),
    );
}
