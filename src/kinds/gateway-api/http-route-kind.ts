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
