// SPDX-License-Identifier: Apache-2.0
import type { ClusterClient } from "../apiserver/controllers/cluster-client.ts";
import { hubGroups } from "../rbac/hub-roles.ts";
import { createMissing } from "./scenario/create-missing.ts";

/** ClusterRoles of the hub's groups in a playground cluster. In a real cluster an operator creates these bindings. */
const roleOfGroup: readonly (readonly [name: string, group: string, role: string])[] = [
  ["flotilla-admins", hubGroups.admins, "cluster-admin"],
  ["flotilla-operators", hubGroups.operators, "view"],
  ["flotilla-viewers", hubGroups.viewers, "view"],
];

/** Creates the bindings of the hub's groups, unless one of that name exists. */
export async function grantHubGroups(client: ClusterClient): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  for (const [name, group, role] of roleOfGroup) {
    await createMissing(client, {
      resource: `${apiGroup}/clusterrolebindings`,
      object: {
        metadata: { name },
        subjects: [{ kind: "Group", apiGroup, name: group }],
        roleRef: { apiGroup, kind: "ClusterRole", name: role },
      },
    });
  }
}
