// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";
import { gatewayKind } from "./gateway.ts";
import { gatewayClassKind } from "./gateway-class.ts";
import { grpcRouteKind } from "./grpc-route.ts";
import { httpRouteKind } from "./http-route.ts";
import { tcpRouteKind } from "./tcp-route.ts";
import { tlsRouteKind } from "./tls-route.ts";

/** The kinds of the Kubernetes Gateway API. */
export const gatewayApiKinds: readonly Kind[] = [
  gatewayClassKind,
  gatewayKind,
  httpRouteKind,
  grpcRouteKind,
  tlsRouteKind,
  tcpRouteKind,
];
