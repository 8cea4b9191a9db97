// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ChangesView as ChangesWish } from "../../gen/flotilla/page/v1/page_pb.ts";
import type { RowChange } from "../fleet/picture.ts";

/** Names in one filter: more than anybody picks by hand. */
const maxNameCount = 1_000;

/** Longest name of anything in Kubernetes; a resource id is one such and a group. */
const maxNameLength = 512;

/** Which changes somebody wants to see. */
export interface ChangeFilter {
  /** Equal for filters that let the same pass. */
  readonly key: string;
  takesCluster(cluster: string): boolean;
  takes(change: RowChange): boolean;
}

/** What is known of the names that a filter may hold. Each throws for a name that is not known. */
export interface KnownNames {
  assertClusters(ids: Iterable<string>): void;
  /** The text of the resource id of a kind, by any name that kubectl takes. */
  findKind(name: string): string;
}

/**
 * The filter of a subscription, for who knows names. Throws INVALID_ARGUMENT for one that is too long; the function that it gives throws
 * what `known` throws for a name that is not known (CL3).
 */
export function createChangeFilter({
  clusterIds,
  namespaces,
  resources,
}: ChangesWish): (known: KnownNames) => ChangeFilter {
  const clusters = toNames("cluster_ids", clusterIds);
  const [ofNamespaces, kinds] = [toNames("namespaces", namespaces), toNames("resources", resources)];
  const takes = (wanted: ReadonlySet<string>, name: string): boolean => wanted.size === 0 || wanted.has(name);
  return (known) => {
    known.assertClusters(clusters);
    const ofResources = new Set(Array.from(kinds, (name) => known.findKind(name)));
    return {
      key: JSON.stringify([clusters, ofNamespaces, ofResources].map((names) => [...names].sort())),
      takesCluster: (cluster) => takes(clusters, cluster),
      takes: ({ namespace, resource }) => takes(ofNamespaces, namespace) && takes(ofResources, resource),
    };
  };
}

function toNames(field: string, names: readonly string[]): ReadonlySet<string> {
  if (names.length > maxNameCount || names.some(({ length }) => length > maxNameLength)) {
    const bound = `at most ${maxNameCount} names of ${maxNameLength} characters`;
    throw new FlotillaError("INVALID_ARGUMENT", `${field} takes ${bound}; leave it empty to see all`);
  }
  return new Set(names);
}
