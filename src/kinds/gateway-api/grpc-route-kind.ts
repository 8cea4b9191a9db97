// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../fields.ts";
import type { Kind } from "../kind.ts";
import { comparedNames, createRouteKind } from "./create-route-kind.ts";

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
