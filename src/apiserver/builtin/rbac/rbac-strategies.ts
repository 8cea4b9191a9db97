// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { clusterRoleBindingStrategy, roleBindingStrategy } from "./rbac-bindings.ts";
import { clusterRoleStrategy, roleStrategy } from "./rbac-roles.ts";

/** The resources of the group `rbac.authorization.k8s.io`. */
export const rbacStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["roles", roleStrategy],
  ["rolebindings", roleBindingStrategy],
  ["clusterroles", clusterRoleStrategy],
  ["clusterrolebindings", clusterRoleBindingStrategy],
]);
