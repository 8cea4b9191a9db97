// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";
import { gatewayClassKind } from "./gateway-class-kind.ts";
import { gatewayKind } from "./gateway-kind.ts";
import { grpcRouteKind, httpRouteKind, tcpRouteKind, tlsRouteKind } from "./route-kinds.ts";

/** The kinds of the Kubernetes Gateway API. */
export const gatewayApiKinds: readonly Kind[] = [
  gatewayClassKind,
  gatewayKind,
  httpRouteKind,
  grpcRouteKind,
  tlsRouteKind,
  tcpRouteKind,
];
