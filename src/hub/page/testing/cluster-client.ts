// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  createClient,
  createRouterTransport,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { silentLogger } from "../../../base/log.ts";
import { ClusterService } from "../../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { mastersGroup } from "../../../rbac/authorizer-chain.ts";
import type { Exchange } from "../../../rpc/http/exchange.ts";
import { toConnectError } from "../../../rpc/rpc-error.ts";
import { callerKey, callKey, exchangeKey } from "../../../rpc/server/call-context.ts";
import { type PageRig, withWireErrors } from "./page-rig.ts";

const caller = {
  tokenId: "tok",
  subject: { user: "root", groups: [mastersGroup] },
  ended: new AbortController().signal,
};

/** All that handlers ask of an exchange: where the call comes from. */
const exchange = { request: { socket: { remoteAddress: "127.0.0.1", remotePort: 1 } } } as unknown as Exchange;

/** The services of the rig's hub, called by root as a client calls them; errors are those of the wire. */
export function rootTransport(rig: PageRig): Transport {
  const asRoot: Interceptor = (next) => async (request) => {
    request.contextValues.set(callerKey, caller).set(exchangeKey, exchange);
    request.contextValues.set(callKey, { requestId: "req_test", log: silentLogger });
    const answer = await next(request).catch((reason: unknown) => {
      throw toConnectError(reason, "req_test");
    });
    return answer.stream ? { ...answer, message: withWireErrors(answer.message) } : answer;
  };
  return createRouterTransport(
    (router) => {
      for (const { service, implementation } of rig.hub.services) router.service(service, implementation);
    },
    { router: { interceptors: [asRoot] } },
  );
}

export function clusterClient(rig: PageRig): Client<typeof ClusterService> {
  return createClient(ClusterService, rootTransport(rig));
}
