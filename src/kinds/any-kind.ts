// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../model/gvr.ts";
import { conditionFields, conditionsOf, reconcileFactsOf } from "./conditions.ts";
import { type Columns, jsonTexts, type Kind, type KindColumn, setColumn } from "./kind.ts";

/** What discovery says of a kind. */
export interface AnyKindFacts {
  readonly kind: string;
  /** Best first. */
  readonly versions: readonly string[];
  readonly isNamespaced: boolean;
}

/** The columns of every kind that no file names. */
export const anyKindColumns: readonly KindColumn[] = [
  { name: "conditions", type: "stringList", isJson: true, isMain: true },
];

/**
 * A kind that no file names, collected by its metadata and conditions (KI14). Of a condition its type, status and reason travel, and the
 * message of the one that decides the status. Nothing else of spec or status does (L18).
 */
export function createAnyKind(resource: ResourceId, { kind, versions, isNamespaced }: AnyKindFacts): Kind {
  return {
    resource,
    kind,
    versions,
    isNamespaced,
    columns: anyKindColumns,
    project: (object) => {
      const conditions = conditionsOf(object);
      const projected: Columns = new Map();
      setColumn(projected, "conditions", jsonTexts(conditions.map(conditionFields)));
      // Most kinds never get a condition, so one without any says nothing about a controller.
      return conditions.length === 0
        ? { columns: projected }
        : { columns: projected, reconcile: reconcileFactsOf(object) };
    },
  };
}
