// SPDX-License-Identifier: Apache-2.0
import { isDnsLabel, isDnsSubdomain } from "../../model/dns-name.ts";
import type { ColumnValue, RowContent } from "../../model/rows/row.ts";

/** What a CustomResourceDefinition of one cluster defines. */
export interface DefinedKind {
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  /** Served ones; at least one. */
  readonly versions: readonly string[];
}

/** As Kubernetes checks it, case ignored: a DNS label. */
const kindForm = /^[A-Za-z][-A-Za-z0-9]{0,62}$/;

/** The most names of one list. A definition has a few. */
const maxNames = 32;

/**
 * Reads the row of a CustomResourceDefinition: the text of the resource id, and its definition. Undefined if a name is
 * not one that Kubernetes accepts, or if no version is served: rows come from clusters and are checked here.
 */
export function readDefinedKind(row: RowContent): readonly [resource: string, defined: DefinedKind] | undefined {
  const [group, plural, kind] = ["group", "plural", "definedKind"].map((name) => textOf(row, name));
  if (group === undefined || !isDnsSubdomain(group) || plural === undefined || !isDnsLabel(plural)) return undefined;
  if (kind === undefined || !kindForm.test(kind)) return undefined;
  const versions = textsOf(row, "versions").flatMap(readVersion).filter(isDnsLabel);
  if (versions.length === 0) return undefined;
  const singular = textOf(row, "singular") ?? "";
  const defined: DefinedKind = {
    kind,
    singular: isDnsLabel(singular) ? singular : kind.toLowerCase(),
    shortNames: textsOf(row, "shortNames").filter(isDnsLabel),
    categories: textsOf(row, "categories").filter(isDnsLabel),
    isNamespaced: textOf(row, "scope") !== "Cluster",
    versions,
  };
  return [`${group}/${plural}`, defined];
}

/** The name of a version if it is served; the text is the JSON of `spec.versions[]` (KI7). */
function readVersion(text: string): readonly string[] {
  try {
    const { name, served } = JSON.parse(text) as { readonly name?: unknown; readonly served?: unknown };
    return typeof name === "string" && served === true ? [name] : [];
  } catch (reason) {
    if (reason instanceof SyntaxError || reason instanceof TypeError) return [];
    throw reason;
  }
}

function textOf({ columns }: RowContent, name: string): string | undefined {
  const value = columns.get(name);
  return typeof value === "string" ? value : undefined;
}

function textsOf({ columns }: RowContent, name: string): readonly string[] {
  const value: ColumnValue | undefined = columns.get(name);
  return typeof value === "object" ? value.slice(0, maxNames) : [];
}
