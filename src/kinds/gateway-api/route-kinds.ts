// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../fields.ts";
import type { Kind } from "../kind.ts";
import { comparedNames, createRouteKind } from "./create-route-kind.ts";

/** HTTPRoutes. */
export const httpRouteKind: Kind = createRouteKind({
  resource: "httproutes",
  kind: "HTTPRoute",
  versions: ["v1", "v1beta1"],
  hasHostnames: true,
  toMatch: (match) => ({
    path: textOf(match, "path", "value"),
    pathType: textOf(match, "path", "type"),
    method: textOf(match, "method"),
    headers: comparedNames(match, "headers"),
    queryParams: comparedNames(match, "queryParams"),
  }),
});

/** GRPCRoutes. */
export const grpcRouteKind: Kind = createRouteKind({
  resource: "grpcroutes",
  kind: "GRPCRoute",
  versions: ["v1", "v1alpha2"],
  hasHostnames: true,
  toMatch: (match) => ({
    service: textOf(match, "method", "service"),
    method: textOf(match, "method", "method"),
    headers: comparedNames(match, "headers"),
  }),
});

/** TLSRoutes: routed by the server name of the TLS handshake, without decryption. */
export const tlsRouteKind: Kind = createRouteKind({
  resource: "tlsroutes",
  kind: "TLSRoute",
  versions: ["v1", "v1alpha3", "v1alpha2"],
  hasHostnames: true,
});

/** TCPRoutes: all traffic of a port, without hostnames. */
export const tcpRouteKind: Kind = createRouteKind({
  resource: "tcproutes",
  kind: "TCPRoute",
  versions: ["v1", "v1alpha2"],
  hasHostnames: false,
});
