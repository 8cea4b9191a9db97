// SPDX-License-Identifier: Apache-2.0
import type { ClusterClient } from "../apiserver/controllers/cluster-client.ts";
import { hubGroups } from "../rbac/hub-roles.ts";
import { createMissing } from "./scenario/create-missing.ts";

/** What the users of the hub beside a playground cluster may do in it: what an operator of a real one binds by hand. */
const roleOfGroup: readonly (readonly [name: string, group: string, role: string])[] = [
  ["flotilla-admins", hubGroups.admins, "cluster-admin"],
  ["flotilla-operators", hubGroups.operators, "view"],
  ["flotilla-viewers", hubGroups.viewers, "view"],
];

/** Gives the groups of the hub their rights, where they have none of that name yet. */
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
