// SPDX-License-Identifier: Apache-2.0
import { rbacResources } from "../../model/rbac-resources.ts";

/** True for a kind that grants: such changes go together and before all others, so that no row is seen by grants of another moment (L2, SE16). */
export function isRbacResource(resource: string): boolean {
  return rbacResources.includes(resource);
}
