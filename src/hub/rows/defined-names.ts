// SPDX-License-Identifier: Apache-2.0
import { customResourceDefinitionKind } from "../../kinds/custom-resource-definition-kind.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { ColumnValue, Row } from "../../model/rows/row.ts";

/** The resource of CustomResourceDefinitions. */
export const definitionResource = resourceIdText(customResourceDefinitionKind.resource);

/** By resource, the names that these rows of CustomResourceDefinitions give it (CL3). */
export function toDefinedNames(definitions: Iterable<Row>): ReadonlyMap<string, readonly string[]> {
  return new Map(Array.from(definitions, (row) => [`${textOf(row, "group")}/${textOf(row, "plural")}`, namesOf(row)]));
}

function namesOf({ columns }: Row): readonly string[] {
  const values = ["definedKind", "singular", "shortNames"].flatMap((name): ColumnValue[] => {
    const value = columns.get(name) ?? "";
    return typeof value === "object" ? [...value] : [value];
  });
  return values.filter((value) => typeof value === "string").filter((name) => name !== "");
}

function textOf({ columns }: Row, name: string): string {
  const value = columns.get(name);
  return typeof value === "string" ? value : "";
}
