// SPDX-License-Identifier: Apache-2.0
// The permissions on the hub itself. They are Kubernetes RBAC, evaluated like those of any cluster.
import { fleetApiGroup } from "../model/names.ts";
import { type Authorizer, createAuthorizer, rbacAuthorizer } from "./authorizer-chain.ts";
import { createPolicy, type Policy } from "./policy.ts";
import { type ClusterRole, type ClusterRoleBinding, createRule, type PolicyRule, rbacApiGroup } from "./rbac-types.ts";

/** The groups whose members have a role on the hub. Tokens and identity providers put users into them. */
export const hubGroups = {
  admins: "flotilla:admins",
  operators: "flotilla:operators",
  viewers: "flotilla:viewers",
} as const;

const readVerbs = ["get", "list", "watch"];
const writeVerbs = ["create", "update", "patch", "delete"];

/** Users change only queries of their own; `manage`, which admins have, covers those of others (SQ2, SQ9). */
const queryVerbs = ["get", "list", "create", "update", "delete"];

/** Both URLs show each caller only what its own rights allow. */
const readUrls = createRule({ verbs: ["get"], nonResourceURLs: ["/health", "/version"] });

/** Metrics count rows of every cluster by kind and status, so they require the right to list rows (L17). */
const readMetrics = createRule({ verbs: ["get"], nonResourceURLs: ["/metrics"] });

function onHub(verbs: readonly string[], resources: readonly string[]): PolicyRule {
  return createRule({ verbs, apiGroups: [fleetApiGroup], resources });
}

function hubRole(name: string, rules: readonly PolicyRule[]): ClusterRole {
  return { kind: "ClusterRole", namespace: "", name, rules };
}

function bindToGroup(role: string, group: string): ClusterRoleBinding {
  return {
    kind: "ClusterRoleBinding",
    namespace: "",
    name: role,
    subjects: [{ kind: "Group", name: group, namespace: "" }],
    roleRef: { apiGroup: rbacApiGroup, kind: "ClusterRole", name: role },
  };
}

/** The policy of a hub: roles `flotilla:admin`, `flotilla:operator` and `flotilla:viewer`, each bound to its group. */
function createHubPolicy(): Policy {
  return createPolicy({
    clusterRoles: [
      hubRole("flotilla:admin", [onHub(["*"], ["*"]), createRule({ verbs: ["*"], nonResourceURLs: ["*"] })]),
      hubRole("flotilla:operator", [
        onHub(readVerbs, ["*"]),
        onHub(writeVerbs, ["clusters", "jointokens", "sessions"]),
        onHub(queryVerbs, ["savedqueries", "standingqueries"]),
        // A hint names an object and shows nothing of it (SE69).
        onHub(["create"], ["hints"]),
        readUrls,
        readMetrics,
      ]),
      // For objects and rows, each cluster itself decides what the user may see (TU10, L17).
      hubRole("flotilla:viewer", [
        onHub(readVerbs, ["clusters", "sessions", "changes", "objects", "rows"]),
        onHub(queryVerbs, ["savedqueries"]),
        readUrls,
      ]),
    ],
    clusterRoleBindings: [
      bindToGroup("flotilla:admin", hubGroups.admins),
      bindToGroup("flotilla:operator", hubGroups.operators),
      bindToGroup("flotilla:viewer", hubGroups.viewers),
    ],
  });
}

/** Decides requests to the hub. `system:masters` has no meaning here: it belongs to clusters. */
export function createHubAuthorizer(policy: Policy = createHubPolicy()): Authorizer {
  return createAuthorizer([rbacAuthorizer(policy)]);
}
