// SPDX-License-Identifier: Apache-2.0
import type { KindNames } from "../../kinds/resolve-kind-name.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { Subject } from "../../model/subject.ts";
import type { FleetReader } from "../rows/fleet-reader.ts";
import { kindNames } from "./cluster-message.ts";
import type { FleetParts } from "./fleet-parts.ts";

/** The names of every kind known in these clusters, each once, sorted by resource id. */
export async function listKindNames(
  { fleet, health, details }: FleetParts,
  subject: Subject,
  clusters: Iterable<string>,
): Promise<KindNames[]> {
  const found = new Map<string, KindNames>();
  for (const id of clusters) {
    const reported = details.kindsOf(id);
    const rows = new Map((await fleet.reader.listKinds(subject, id)).map((each) => [each.resource, each.kind]));
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
export async function withDefinedNames(
  reader: Pick<FleetReader, "listDefinedNames">,
  subject: Subject,
  { clusters, kinds }: { readonly clusters: Iterable<string>; readonly kinds: readonly KindNames[] },
): Promise<KindNames[]> {
  const named = new Map<string, readonly string[]>();
  for (const id of clusters)
    for (const [resource, names] of await reader.listDefinedNames(subject, id)) named.set(resource, names);
  return kinds.map((kind) => ({ ...kind, otherNames: named.get(kind.resource) ?? [] }));
}
