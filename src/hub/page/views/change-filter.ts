// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../../base/error.ts";
import type { ChangesView as ChangesWish } from "../../../gen/flotilla/page/v1/page_pb.ts";
import type { RowChange } from "../../rows/fleet-reader.ts";

/** Maximum names in one filter: more than users select by hand. */
const maxNameCount = 1_000;

/** Maximum length of a name: a resource id is a group of at most 253 characters and a resource. */
const maxNameLength = 512;

/** Selects changes. */
export interface ChangeFilter {
  /** Equal for equivalent filters. */
  readonly key: string;
  takesCluster(cluster: string): boolean;
  takes(change: RowChange): boolean;
}

/** Resolves the names in a filter. Each method throws for an unknown name. */
export interface KnownNames {
  assertClusters(ids: Iterable<string>): void;
  /** The text of a kind's resource id, by any name that kubectl accepts. */
  findKind(name: string): Promise<string>;
}

/**
 * Validates a subscription's filter. Throws INVALID_ARGUMENT when it is too long. The returned function resolves the
 * names and rejects with what `known` throws (CL3).
 */
export function createChangeFilter({
  clusterIds,
  namespaces,
  resources,
}: ChangesWish): (known: KnownNames) => Promise<ChangeFilter> {
  const clusters = toNames("cluster_ids", clusterIds);
  const [ofNamespaces, kinds] = [toNames("namespaces", namespaces), toNames("resources", resources)];
  const takes = (wanted: ReadonlySet<string>, name: string): boolean => wanted.size === 0 || wanted.has(name);
  return async (known) => {
    known.assertClusters(clusters);
    const ofResources = new Set(await Promise.all(Array.from(kinds, (name) => known.findKind(name))));
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
