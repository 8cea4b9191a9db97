// SPDX-License-Identifier: Apache-2.0
import { customResourceDefinitionKind } from "../../kinds/custom-resource-definition-kind.ts";
import type { KindNames } from "../../kinds/resolve-kind-name.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { ColumnValue, Row } from "../../model/row.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";
import { kindNames } from "./cluster-message.ts";
import type { FleetParts } from "./fleet-parts.ts";

const definitions = resourceIdText(customResourceDefinitionKind.resource);

/** The names of every kind known in these clusters, each once, sorted by resource id. */
export function listKindNames({ fleet, health, details }: FleetParts, clusters: Iterable<string>): KindNames[] {
  const found = new Map<string, KindNames>();
  for (const id of clusters) {
    const reported = details.kindsOf(id);
    const rows = new Map(fleet.fleetRows.kinds(id).map((each) => [each.resource, each.kind]));
    const followed = health.kinds(parseClusterId(id)).map(({ resource }) => resource);
    for (const resource of [...rows.keys(), ...followed, ...reported.keys()]) {
      const known = found.get(resource);
      const kind = kindNames.get(resource) ?? rows.get(resource) ?? "";
      const version = reported.get(resource)?.facts.version ?? "";
      if (known !== undefined && known.kind !== "" && known.version !== "") continue;
      found.set(resource, { resource, kind: known?.kind || kind, version: known?.version || version });
    }
  }
  return [...found.values()].sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

/** Adds the names from the clusters' CustomResourceDefinitions. Reads one row per definition. */
export function withDefinedNames(
  fleetRows: Pick<FleetRows, "snapshot">,
  clusters: Iterable<string>,
  kinds: readonly KindNames[],
): KindNames[] {
  const named = new Map<string, readonly string[]>();
  for (const id of clusters) {
    for (const row of fleetRows.snapshot(id, definitions)?.rows() ?? [])
      named.set(`${textOf(row, "group")}/${textOf(row, "plural")}`, namesOf(row));
  }
  return kinds.map((kind) => ({ ...kind, otherNames: named.get(kind.resource) ?? [] }));
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
