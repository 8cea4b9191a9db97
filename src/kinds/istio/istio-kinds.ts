// SPDX-License-Identifier: Apache-2.0
import type { DerivedKind, Kind } from "../kind.ts";
import { authorizationPolicyKind } from "./authorization-policy-kind.ts";
import { istioControlPlaneKind } from "./control-plane.ts";
import { destinationRuleKind } from "./destination-rule-kind.ts";
import { envoyFilterKind } from "./envoy-filter-kind.ts";
import { istioGatewayKind } from "./istio-gateway-kind.ts";
import { peerAuthenticationKind } from "./peer-authentication-kind.ts";
import { requestAuthenticationKind } from "./request-authentication-kind.ts";
import { serviceEntryKind } from "./service-entry-kind.ts";
import { sidecarKind } from "./sidecar-kind.ts";
import { telemetryKind } from "./telemetry-kind.ts";
import { virtualServiceKind } from "./virtual-service-kind.ts";
import { wasmPluginKind } from "./wasm-plugin-kind.ts";

/** Istio's kinds that are read from their own objects. Each has a different resource. */
export const istioKinds: readonly Kind[] = [
  virtualServiceKind,
  destinationRuleKind,
  istioGatewayKind,
  serviceEntryKind,
  sidecarKind,
  envoyFilterKind,
  peerAuthenticationKind,
  requestAuthenticationKind,
  authorizationPolicyKind,
  wasmPluginKind,
  telemetryKind,
];

/** Istio's kinds that are derived from objects of other kinds. */
export const istioDerivedKinds: readonly DerivedKind[] = [istioControlPlaneKind];
