// SPDX-License-Identifier: Apache-2.0
// The discovery documents of a simulated API server, in both forms.
import type { SimResource } from "./sim-api-server-store.ts";

const verbs = ["get", "list", "watch"];

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}

/** True for the resources that `/api` or `/apis` tells of. */
function isUnder(root: string, { group }: SimResource): boolean {
  return (root === "/api") === (group === "");
}

/** `APIGroupDiscoveryList` of one root. Group-versions in `stale` are told as such, without their resources. */
export function aggregatedDocument(
  root: string,
  resources: readonly SimResource[],
  stale: ReadonlySet<string>,
): unknown {
  const groups = groupBy(
    resources.filter((each) => isUnder(root, each)),
    ({ group }) => group,
  );
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: Array.from(groups, ([name, members]) => ({
      metadata: { name, creationTimestamp: null },
      versions: Array.from(
        groupBy(members, ({ version }) => version),
        ([version, each]) => {
          const isStale = stale.has(`${name}/${version}`);
          return {
            version,
            freshness: isStale ? "Stale" : "Current",
            resources: isStale
              ? []
              : each.map(({ resource, kind, isNamespaced }) => ({
                  resource,
                  responseKind: { group: name, version, kind },
                  scope: isNamespaced ? "Namespaced" : "Cluster",
                  singularResource: kind.toLowerCase(),
                  verbs,
                })),
          };
        },
      ),
    })),
  };
}

/** The older documents: `/api`, `/apis`, and `/apis/<group>/<version>`; undefined for a path without one. */
export function legacyDocument(path: string, resources: readonly SimResource[]): unknown {
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/apis") {
    const groups = groupBy(
      resources.filter((each) => isUnder(path, each)),
      ({ group }) => group,
    );
    return {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: Array.from(groups, ([name, members]) => ({
        name,
        versions: [...new Set(members.map(({ version }) => version))].map((version) => ({
          groupVersion: `${name}/${version}`,
          version,
        })),
      })),
    };
  }
  const members = resources.filter(
    ({ group, version }) => path === (group === "" ? `/api/${version}` : `/apis/${group}/${version}`),
  );
  if (members.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: path.replace(/^\/apis?\//, ""),
    resources: members.flatMap(({ resource, kind, isNamespaced }) => [
      { name: resource, singularName: kind.toLowerCase(), namespaced: isNamespaced, kind, verbs },
      { name: `${resource}/status`, singularName: "", namespaced: isNamespaced, kind, verbs: ["get"] },
    ]),
  };
}
