// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { ingressStrategy } from "./ingress.ts";
import { ingressClassStrategy } from "./ingress-class.ts";
import { networkPolicyStrategy } from "./network-policy.ts";

/** The resources of the group `networking.k8s.io`. */
export const networkingStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["ingresses", ingressStrategy],
  ["ingressclasses", ingressClassStrategy],
  ["networkpolicies", networkPolicyStrategy],
]);
