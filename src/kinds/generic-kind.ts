// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../model/gvr.ts";
import { conditionFields, conditionsOf, reconcileFactsOf } from "./conditions.ts";
import { type Columns, jsonTexts, type Kind, type KindColumn, setColumn } from "./kind.ts";

/** What discovery reports about a kind. */
export interface DiscoveredKind {
  readonly kind: string;
  /** The preferred version first. */
  readonly versions: readonly string[];
  readonly isNamespaced: boolean;
}

/** The columns of every kind that no file names. */
export const genericKindColumns: readonly KindColumn[] = [
  { name: "conditions", type: "stringList", isJson: true, isMain: true },
];

/**
 * A kind without a file of its own, collected by its metadata and conditions (KI14). A row holds type, status and
 * reason of each condition, and the message of the condition that decides the status. It holds nothing else of spec or
 * status (L18).
 */
export function createGenericKind(resource: ResourceId, { kind, versions, isNamespaced }: DiscoveredKind): Kind {
  return {
    resource,
    kind,
    versions,
    isNamespaced,
    columns: genericKindColumns,
    project: (object) => {
      const conditions = conditionsOf(object);
      const projected: Columns = new Map();
      setColumn(projected, "conditions", jsonTexts(conditions.map(conditionFields)));
      // Most kinds never have a condition, so no condition does not mean that a controller has yet to report.
      return conditions.length === 0
        ? { columns: projected }
        : { columns: projected, reconcile: reconcileFactsOf(object) };
    },
  };
}
