// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { ClusterStateService } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { quote } from "../../model/text.ts";
import { defaultMaxMessageBytes, type ServiceEntry, serviceEntry } from "../../rpc/connect-router.ts";
import { kindLists } from "./kind-lists.ts";
import { type LoadedCluster, toClusterState } from "./to-cluster-state.ts";

/** What of a cluster is loaded. */
export interface LoadOptions {
  /** Texts of the resource ids whose rows are wanted; others may be left out. */
  readonly resources: ReadonlySet<string>;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
}

/** Where the state of a cluster comes from. */
export interface ClusterStateSource {
  /** The cluster as of one moment, however long its rows are then read; undefined for one that is not registered. Rejects with UNAVAILABLE until all its rows are there. */
  load(clusterId: string, options: LoadOptions): Promise<LoadedCluster | undefined>;
}

/**
 * A sixteenth of what a message may have. Making one takes the hub's thread about 1,500 Pods' time at once, and JSON, in which a browser may ask for it, takes several
 * times the bytes.
 */
const maxChunkBytes = defaultMaxMessageBytes / 16;

/** ClusterStateService over what the hub knows of its clusters. */
export function createClusterStateService(source: ClusterStateSource): ServiceEntry {
  return serviceEntry(ClusterStateService, {
    async *getClusterState({ clusterId, resources }, { signal }) {
      const wanted = wantedResources(resources);
      const loaded = await source.load(clusterId, { resources: wanted, signal });
      if (loaded === undefined) {
        const sentence = `no cluster is called ${quote(clusterId)}; flotilla cluster list shows those there are`;
        throw new FlotillaError("NOT_FOUND", sentence, { ids: { cluster: clusterId } });
      }
      yield* toClusterState(loaded, { clusterId, resources: wanted, maxChunkBytes, signal });
    },
  });
}

function wantedResources(resources: readonly string[]): ReadonlySet<string> {
  const strange = resources.find((each) => !kindLists.has(each));
  if (strange !== undefined) {
    const known = Array.from(kindLists.keys()).join(", ");
    throw new FlotillaError("INVALID_ARGUMENT", `a cluster's state has no list of ${quote(strange)}; it has ${known}`);
  }
  return new Set(resources.length === 0 ? kindLists.keys() : resources);
}
