// SPDX-License-Identifier: Apache-2.0
// Unary calls to the hub. Live data comes over the link.
import { ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { ClusterService } from "../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { JoinCodeService } from "../../../src/gen/flotilla/fleet/v1/join_pb.ts";
import { LoginService } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { QueryService } from "../../../src/gen/flotilla/query/v1/query_pb.ts";

const transport = createConnectTransport({ baseUrl: globalThis.location.origin, useBinaryFormat: true });

export const loginService = createClient(LoginService, transport);
export const clusterService = createClient(ClusterService, transport);
export const joinCodeService = createClient(JoinCodeService, transport);
export const queryService = createClient(QueryService, transport);

/** The sentence of a failed call: the hub's own if it answered. */
export function failureSentence(reason: unknown): string {
  const { rawMessage, cause } = ConnectError.from(reason);
  // Browsers throw a TypeError when there was no answer.
  return cause instanceof TypeError || rawMessage === "" ? "The hub cannot be reached." : rawMessage;
}
