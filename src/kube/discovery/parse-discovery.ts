// SPDX-License-Identifier: Apache-2.0
// Parses both forms of discovery documents (KU18): aggregated, with all groups in one answer, and the older one, with
// an answer for each group-version.
import { booleanOf, listOf, textsOf } from "../../kinds/fields.ts";
import { textOf } from "../reflector/parse-kube-json.ts";
import type { GroupVersions, ServedResource } from "./served-resource.ts";

/** `group/version`, as manifests write it: `v1` for the core group. */
export function groupVersionText(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

/**
 * Parses an `APIGroupDiscoveryList`; undefined for any other document, as sent by a server that does not support it.
 */
export function parseAggregated(document: unknown): GroupVersions | undefined {
  if (textOf(document, "kind") !== "APIGroupDiscoveryList") return undefined;
  const groups = new Map<string, readonly ServedResource[] | undefined>();
  for (const item of listOf(document, "items")) {
    const group = textOf(item, "metadata", "name");
    for (const entry of listOf(item, "versions")) {
      const version = textOf(entry, "version");
      // Stale: the aggregated API server of this group does not answer now, so the entry may be outdated or incomplete.
      const isStale = textOf(entry, "freshness") === "Stale";
      groups.set(groupVersionText(group, version), isStale ? undefined : parseVersion(entry, group, version));
    }
  }
  return groups;
}

function parseVersion(entry: unknown, group: string, version: string): ServedResource[] {
  return listOf(entry, "resources").flatMap((each) => {
    const resource = textOf(each, "resource");
    const kind = textOf(each, "responseKind", "kind");
    if (resource === "" || kind === "") return [];
    const isNamespaced = textOf(each, "scope") === "Namespaced";
    return [{ group, version, resource, kind, isNamespaced, verbs: textsOf(each, "verbs") }];
  });
}

/** The group-versions in `/api` (`APIVersions`) or `/apis` (`APIGroupList`); undefined for any other document. */
export function parseGroupList(document: unknown): { readonly group: string; readonly version: string }[] | undefined {
  const kind = textOf(document, "kind");
  if (kind === "APIVersions") return textsOf(document, "versions").map((version) => ({ group: "", version }));
  if (kind !== "APIGroupList") return undefined;
  return listOf(document, "groups").flatMap((each) =>
    listOf(each, "versions").map((entry) => ({ group: textOf(each, "name"), version: textOf(entry, "version") })),
  );
}

/** Parses an `APIResourceList` without subresources; undefined for any other document. */
export function parseResourceList(document: unknown, group: string, version: string): ServedResource[] | undefined {
  if (textOf(document, "kind") !== "APIResourceList") return undefined;
  return listOf(document, "resources").flatMap((each) => {
    const [resource, kind] = [textOf(each, "name"), textOf(each, "kind")];
    if (resource === "" || resource.includes("/")) return [];
    return [
      {
        group,
        version,
        resource,
        kind,
        isNamespaced: booleanOf(each, "namespaced") === true,
        verbs: textsOf(each, "verbs"),
      },
    ];
  });
}
