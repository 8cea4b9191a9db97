// SPDX-License-Identifier: Apache-2.0
import { rbacResources } from "../../model/rbac-resources.ts";

/**
 * True for RBAC kinds. Their changes are sent together and before all others, so that no row is shown under grants of
 * another time (L2, SE16).
 */
export function isRbacResource(resource: string): boolean {
  return rbacResources.includes(resource);
}
