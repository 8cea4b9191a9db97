// SPDX-License-Identifier: Apache-2.0
// Every kind that has a file of its own, in the order of collecting.
import { argoKinds } from "./argo/argo-kinds.ts";
import { coreKinds } from "./core-kinds.ts";
import { fluxKinds } from "./flux/flux-kinds.ts";
import { gatewayApiKinds } from "./gateway-api/gateway-api-kinds.ts";
import { istioDerivedKinds, istioKinds } from "./istio/istio-kinds.ts";
import type { DerivedKind, Kind } from "./kind.ts";

/** What is collected of a cluster unless its agent is told otherwise. */
export const defaultKinds: readonly Kind[] = [
  ...coreKinds,
  ...istioKinds,
  ...fluxKinds,
  ...argoKinds,
  ...gatewayApiKinds,
];

/** What is made of objects of those. */
export const derivedKinds: readonly DerivedKind[] = istioDerivedKinds;
