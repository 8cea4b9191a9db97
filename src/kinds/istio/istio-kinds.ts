// SPDX-License-Identifier: Apache-2.0
import type { DerivedKind, Kind } from "../kind.ts";
import { authorizationPolicyKind } from "./authorization-policy.ts";
import { istioControlPlaneKind } from "./control-plane.ts";
import { destinationRuleKind } from "./destination-rule.ts";
import { envoyFilterKind } from "./envoy-filter.ts";
import { istioGatewayKind } from "./gateway.ts";
import { peerAuthenticationKind } from "./peer-authentication.ts";
import { requestAuthenticationKind } from "./request-authentication.ts";
import { serviceEntryKind } from "./service-entry.ts";
import { sidecarKind } from "./sidecar.ts";
import { telemetryKind } from "./telemetry.ts";
import { virtualServiceKind } from "./virtual-service.ts";
import { wasmPluginKind } from "./wasm-plugin.ts";

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
