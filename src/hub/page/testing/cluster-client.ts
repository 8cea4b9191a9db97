// SPDX-License-Identifier: Apache-2.0
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { ClusterService } from "../../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { toConnectError } from "../../../rpc/rpc-error.ts";
import type { PageRig } from "./page-rig.ts";

/** ClusterService of the rig's hub, called as a client calls it; errors are those of the wire. */
export function clusterClient(rig: PageRig): Client<typeof ClusterService> {
  const entry = rig.hub.services.find(({ service }) => service.typeName === ClusterService.typeName);
  if (entry === undefined) throw new Error("the hub does not serve clusters");
  const transport = createRouterTransport((router) => void router.service(entry.service, entry.implementation), {
    router: {
      interceptors: [
        (next) => (request) =>
          next(request).catch((reason: unknown) => {
            throw toConnectError(reason, "req_test");
          }),
      ],
    },
  });
  return createClient(ClusterService, transport);
}
