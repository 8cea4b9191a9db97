// SPDX-License-Identifier: Apache-2.0
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type ClusterState,
  ClusterStateSchema,
  type GetClusterStateResponse,
} from "../../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { kindLists } from "../kind-lists.ts";
import { type LoadedCluster, type StateWanted, toClusterState } from "../to-cluster-state.ts";

/** All kinds of a cluster called east, in chunks of a size that hubs use. */
export const everything: StateWanted = {
  clusterId: "east",
  resources: new Set(kindLists.keys()),
  maxChunkBytes: 1_000_000,
  signal: new AbortController().signal,
};

/** Every chunk, in order. */
export async function chunksOf(
  loaded: Partial<LoadedCluster>,
  wanted: Partial<StateWanted> = {},
): Promise<readonly GetClusterStateResponse[]> {
  const cluster = { connection: { state: "live" }, kinds: [], rows: [], ...loaded };
  return Array.fromAsync(toClusterState(cluster, { ...everything, ...wanted }));
}

/** The chunks joined as protobuf defines it: their bytes one after the other are the whole message. */
export function joinBytes(chunks: readonly GetClusterStateResponse[]): ClusterState {
  const parts = chunks.flatMap(({ state }) => (state === undefined ? [] : [toBinary(ClusterStateSchema, state)]));
  return fromBinary(ClusterStateSchema, Buffer.concat(parts));
}

/** The whole state, as it is after the wire. */
export async function stateOf(
  loaded: Partial<LoadedCluster>,
  wanted: Partial<StateWanted> = {},
): Promise<ClusterState> {
  return joinBytes(await chunksOf(loaded, wanted));
}
