// SPDX-License-Identifier: Apache-2.0
// The kinds with a file of their own, in the order in which they are collected.
import { argoKinds } from "./argo/argo-kinds.ts";
import { coreKinds } from "./core-kinds.ts";
import { fluxKinds } from "./flux/flux-kinds.ts";
import { gatewayApiKinds } from "./gateway-api/gateway-api-kinds.ts";
import { istioDerivedKinds, istioKinds } from "./istio/istio-kinds.ts";
import type { DerivedKind, Kind } from "./kind.ts";

/** The kinds that an agent collects unless `--kinds` or `--exclude-kinds` selects others. */
export const defaultKinds: readonly Kind[] = [
  ...coreKinds,
  ...istioKinds,
  ...fluxKinds,
  ...argoKinds,
  ...gatewayApiKinds,
];

/** The kinds whose rows are derived from objects of `defaultKinds`. */
export const derivedKinds: readonly DerivedKind[] = istioDerivedKinds;
