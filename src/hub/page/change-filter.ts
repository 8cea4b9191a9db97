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

/** The filter of a subscription. Throws INVALID_ARGUMENT for one that is too long. */
export function createChangeFilter({ clusterIds, namespaces, resources }: ChangesWish): ChangeFilter {
  const clusters = toNames("cluster_ids", clusterIds);
  const [ofNamespaces, ofResources] = [toNames("namespaces", namespaces), toNames("resources", resources)];
  const takes = (wanted: ReadonlySet<string>, name: string): boolean => wanted.size === 0 || wanted.has(name);
  return {
    key: JSON.stringify([clusters, ofNamespaces, ofResources].map((names) => [...names].sort())),
    takesCluster: (cluster) => takes(clusters, cluster),
    takes: ({ namespace, resource }) => takes(ofNamespaces, namespace) && takes(ofResources, resource),
  };
}

function toNames(field: string, names: readonly string[]): ReadonlySet<string> {
  if (names.length > maxNameCount || names.some(({ length }) => length > maxNameLength)) {
    const bound = `at most ${maxNameCount} names of ${maxNameLength} characters`;
    throw new FlotillaError("INVALID_ARGUMENT", `${field} takes ${bound}; leave it empty to see all`);
  }
  return new Set(names);
}
