// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";
import { createRouteKind } from "./create-route-kind.ts";

/** TCPRoutes: all traffic of a port, without hostnames. */
export const tcpRouteKind: Kind = createRouteKind({
  resource: "tcproutes",
  kind: "TCPRoute",
  versions: ["v1", "v1alpha2"],
  hasHostnames: false,
});
