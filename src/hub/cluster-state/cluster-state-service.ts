// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { ClusterStateService } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { Subject } from "../../model/subject.ts";
import { quote } from "../../model/text.ts";
import { callerOf } from "../../rpc/server/call-context.ts";
import { defaultMaxMessageBytes, type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { clusterNotFound } from "../clusters/cluster-registry.ts";
import { kindLists } from "./kind-lists.ts";
import { type LoadedCluster, toClusterState } from "./to-cluster-state.ts";

/** Selects what is loaded of a cluster. */
export interface ClusterStateOptions {
  readonly subject: Subject;
  /** Texts of the wanted resource ids. The source can leave out rows of others. */
  readonly resources: ReadonlySet<string>;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Loads the state of a cluster. */
export interface ClusterStateSource {
  /**
   * The cluster at one moment, however long its rows are then read; undefined for an unregistered one. Rejects with
   * UNAVAILABLE until all its rows are loaded and may be shown (L2).
   */
  load(clusterId: string, options: ClusterStateOptions): Promise<LoadedCluster | undefined>;
}

/**
 * A sixteenth of the message limit. Building a chunk of about 1,500 Pods blocks the hub's thread, and JSON for browsers
 * takes several times the bytes.
 */
const maxChunkBytes = defaultMaxMessageBytes / 16;

/** ClusterStateService over the hub's state of its clusters. */
export function createClusterStateService(source: ClusterStateSource): ServiceEntry {
  return serviceEntry(ClusterStateService, {
    async *getClusterState({ clusterId, resources }, { signal, values }) {
      const wanted = wantedResources(resources);
      const loaded = await source.load(clusterId, { subject: callerOf(values).subject, resources: wanted, signal });
      if (loaded === undefined) throw clusterNotFound(clusterId);
      yield* toClusterState(loaded, { clusterId, resources: wanted, maxChunkBytes, signal });
    },
  });
}

function wantedResources(resources: readonly string[]): ReadonlySet<string> {
  const unsupported = resources.find((each) => !kindLists.has(each));
  if (unsupported !== undefined) {
    const known = Array.from(kindLists.keys()).join(", ");
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `a cluster's state has no list of ${quote(unsupported)}; it has ${known}`,
    );
  }
  return new Set(resources.length === 0 ? kindLists.keys() : resources);
}
