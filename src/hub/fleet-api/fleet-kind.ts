// SPDX-License-Identifier: Apache-2.0
// The kinds of all clusters as one API: each in one version, with the verbs of a read-only server (FA2).
import type { Resource } from "../../apiserver/resources/resource.ts";
import { ResourceRegistry } from "../../apiserver/resources/resource-registry.ts";
import type { ResourceFacts, SchemaTable } from "../../apiserver/schema/schema.ts";
import { defaultKinds, derivedKinds } from "../../kinds/all-kinds.ts";
import { coreKinds } from "../../kinds/core-kinds.ts";
import { compareVersions } from "../../model/compare-versions.ts";
import { parseResourceId, resourceIdText } from "../../model/gvr.ts";
import type { DefinedKind } from "./defined-kind.ts";

/** What the clusters have, as far as the hub knows it. */
export interface ReportedKinds {
  /** By the text of the resource id, the name of the kind; "" if unknown. */
  readonly kinds: ReadonlyMap<string, string>;
  /** By the text of the resource id, its definitions in the clusters that have it. */
  readonly definitions: ReadonlyMap<string, readonly DefinedKind[]>;
}

/** The verbs of every resource. */
const verbs: readonly string[] = ["get", "list", "watch"];

/** The kinds with a file of their own, by resource. */
const ownKinds: ReadonlyMap<string, Pick<DefinedKind, "kind" | "isNamespaced" | "versions">> = new Map(
  [...defaultKinds, ...derivedKinds].map((each) => {
    const { kind, isNamespaced } = each;
    return [resourceIdText(each.resource), { kind, isNamespaced, versions: "versions" in each ? each.versions : [] }];
  }),
);

/** The version of a kind that is known by its rows alone. No request depends on it: rows have no version. */
const unknownVersion = "v1";

/**
 * The facts of all kinds: those that agents collect by default where they are served, whether a cluster has rows of
 * them or not, and every kind that a cluster has rows of. In the order of Kubernetes' discovery, others by resource id.
 */
export function listFleetFacts(table: SchemaTable, { kinds, definitions }: ReportedKinds): readonly ResourceFacts[] {
  const collected = [...ownKinds.keys()].filter((id) => definitions.has(id));
  const wanted = new Set([...coreKinds.map(({ resource }) => resourceIdText(resource)), ...collected, ...kinds.keys()]);
  const builtIn = newestFacts(table);
  const found: ResourceFacts[] = [];
  for (const [id, facts] of builtIn) if (wanted.delete(id)) found.push(toReadOnly(facts));
  for (const id of [...wanted].sort())
    found.push(toReadOnly(customFacts(id, kinds.get(id) ?? "", definitions.get(id) ?? [])));
  return found;
}

/** The built-in resources that can be listed, each in its newest version. */
function newestFacts({ resources }: SchemaTable): ReadonlyMap<string, ResourceFacts> {
  const newest = new Map<string, ResourceFacts>();
  for (const facts of resources) {
    // Events of both groups are one resource (CO5); rows have the core group's.
    if (!facts.verbs.includes("list") || facts.group === "events.k8s.io") continue;
    const id = resourceIdText(facts);
    const known = newest.get(id);
    if (known === undefined || compareVersions(facts.version, known.version) < 0) newest.set(id, facts);
  }
  return newest;
}

type NamedFacts = Omit<ResourceFacts, "verbs" | "subresources" | "storageVersionHash">;

function customFacts(id: string, reportedKind: string, definitions: readonly DefinedKind[]): NamedFacts {
  const [best] = [...definitions].sort((a, b) => compareVersions(newestOf(a), newestOf(b)));
  const known = best ?? ownKinds.get(id);
  const { group, resource } = parseResourceId(id);
  const kind = known?.kind ?? (reportedKind === "" ? resource : reportedKind);
  return {
    group,
    version: known === undefined ? unknownVersion : newestOf(known),
    resource,
    singular: best?.singular ?? kind.toLowerCase(),
    kind,
    namespaced: known?.isNamespaced ?? true,
    shortNames: best?.shortNames ?? [],
    categories: best?.categories ?? [],
  };
}

function newestOf({ versions }: Pick<DefinedKind, "versions">): string {
  return [...versions].sort(compareVersions)[0] ?? unknownVersion;
}

function toReadOnly(facts: NamedFacts): ResourceFacts {
  const { group, version, resource, singular, kind, namespaced, shortNames, categories } = facts;
  const names = { group, version, resource, singular, kind, namespaced, shortNames, categories };
  return { ...names, verbs, subresources: [], storageVersionHash: undefined };
}

/** The facts as the resources of a server, for its discovery documents. Nothing can be written to them. */
export function createFleetRegistry(table: SchemaTable, all: readonly ResourceFacts[]): ResourceRegistry {
  const resources = all.map((facts): Resource => {
    const { group, version, kind } = facts;
    return {
      facts,
      listKind: `${kind}List`,
      storageId: resourceIdText(facts),
      isCustom: table.ofKind(group, version, kind) === undefined,
      strategy: {},
      printer: { columns: [], row: () => ({ cells: [] }) },
      scale: undefined,
      clean: (object) => ({ object, complaints: [] }),
    };
  });
  const registry = new ResourceRegistry(resources.filter(({ isCustom }) => !isCustom));
  registry.setCustom(resources.filter(({ isCustom }) => isCustom));
  return registry;
}
