// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";
import { createRouteKind } from "./create-route-kind.ts";

/** TLSRoutes: routed by the server name of the TLS handshake, without decryption. */
export const tlsRouteKind: Kind = createRouteKind({
  resource: "tlsroutes",
  kind: "TLSRoute",
  versions: ["v1", "v1alpha3", "v1alpha2"],
  hasHostnames: true,
});
