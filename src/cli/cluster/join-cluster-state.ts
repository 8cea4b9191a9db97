// SPDX-License-Identifier: Apache-2.0
import { create, merge } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import {
  type ClusterState,
  ClusterStateSchema,
  type GetClusterStateResponse,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { compareUtf8 } from "../../model/text.ts";

/**
 * Merges the chunks into one state, every list ordered by namespace and name. Reuses the messages. Throws UNAVAILABLE
 * if the last chunk is missing, because missing objects would look deleted (L4).
 */
export async function joinClusterState(chunks: AsyncIterable<GetClusterStateResponse>): Promise<ClusterState> {
  const joined = create(ClusterStateSchema);
  let isWhole = false;
  for await (const { state, isLast } of chunks) {
    if (state !== undefined) merge(ClusterStateSchema, joined, state);
    isWhole = isLast;
  }
  if (!isWhole)
    throw new FlotillaError("UNAVAILABLE", "the hub ended the stream before the whole state was sent; retry");
  for (const list of listsOf(joined)) list.sort(compareKeys);
  return joined;
}

interface Keyed {
  readonly namespace: string;
  readonly name: string;
}

function compareKeys(a: Keyed, b: Keyed): number {
  return compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name);
}

function listsOf(state: ClusterState): readonly Keyed[][] {
  return [
    state.services,
    state.endpointSlices,
    state.pods,
    state.virtualServices,
    state.destinationRules,
    state.gateways,
    state.serviceEntries,
    state.sidecars,
    state.envoyFilters,
    state.peerAuthentications,
    state.requestAuthentications,
    state.authorizationPolicies,
    state.wasmPlugins,
    state.telemetries,
    state.istioControlPlaneConfigs,
  ];
}
