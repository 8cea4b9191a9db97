// SPDX-License-Identifier: Apache-2.0
import { rowFields } from "../../index/compare/compared-fields.ts";
import type { ColumnValue, Row } from "../../model/rows/row.ts";
import { compareUtf8 } from "../../model/text.ts";

/** A field of an object with another value than before. Undefined: the object did not have it, or has it no longer. */
export interface FieldChange {
  /** As queries name it. */
  readonly field: string;
  readonly from: ColumnValue | undefined;
  readonly to: ColumnValue | undefined;
}

/** A token of the API server: it differs with every change and has no meaning of its own (CO22). */
const ignoredField = "resourceVersion";

/** The fields that differ, by name. */
export function fieldChanges(resource: string, before: Row, after: Row): readonly FieldChange[] {
  const old = rowFields(resource, before, true);
  const now = rowFields(resource, after, true);
  const changes: FieldChange[] = [];
  for (const field of [...new Set([...old.keys(), ...now.keys()])].sort(compareUtf8)) {
    const [from, to] = [old.get(field), now.get(field)];
    if (field !== ignoredField && !isEqual(from, to)) changes.push({ field, from, to });
  }
  return changes;
}

function isEqual(a: ColumnValue | undefined, b: ColumnValue | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  return a.length === b.length && a.every((text, at) => text === b[at]);
}
