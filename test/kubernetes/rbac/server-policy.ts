// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../../src/base/time/clock.ts";
import type { Policy } from "../../../src/rbac/policy.ts";
import { createRule, type RbacObject, rbacApiGroup } from "../../../src/rbac/rbac-types.ts";
import type { RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "../../../src/rbac/testing/rbac-objects.ts";
import type { KubeClient } from "../kube-client.ts";
import { reviewAccess } from "./access-review.ts";
import { collectionPath, objectPath, readPolicy, testLabel, toManifest } from "./rbac-api.ts";

/**
 * How often the server is asked whether it has seen a change, and the pause between: ten seconds in all; it takes
 * milliseconds.
 */
const askCount = 2_000;
const pauseMs = 5;

/** The namespaces that policies use. */
export const policyNamespaces = ["n", "m"] as const;

/** Everything a list holds, in no particular order. */
function objectsOf(lists: RbacLists): readonly RbacObject[] {
  return [...lists.roles, ...lists.clusterRoles, ...lists.roleBindings, ...lists.clusterRoleBindings];
}

/**
 * One object of each kind, which together let the user `marker-ROUND` get `markers/ROUND` in a namespace, and
 * `clustermarkers/ROUND` anywhere. The server sees changes of one kind in the order in which they were written.
 * Once both are granted, the server has seen all earlier changes.
 */
function markersOf(round: number): readonly RbacObject[] {
  const rule = (resource: string) =>
    createRule({ verbs: ["get"], apiGroups: [rbacApiGroup], resources: [resource], resourceNames: [`${round}`] });
  const user = `User:marker-${round}`;
  return [
    role("n", "marker", rule("markers")),
    clusterRole("marker", rule("clustermarkers")),
    roleBinding("n", "marker", "Role/marker", user),
    clusterRoleBinding("marker", "ClusterRole/marker", user),
  ];
}

/** Policies on one server, one after another, and never before the server's authorizer has seen all of it. */
export class ServerPolicy {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  #round = 0;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Creates the namespaces and the first markers. Call once, before anything else. */
  async open(): Promise<void> {
    const names = policyNamespaces.map((name) => ({ metadata: { name } }));
    await Promise.all(names.map((body) => this.#client.ask("POST", "/api/v1/namespaces", { body })));
    for (const marker of markersOf(0)) {
      await this.#client.ask("POST", collectionPath(marker), { body: toManifest(marker, "marker") });
    }
  }

  /** Puts these objects in the place of those of the last call, and gives the policy that the server then has. */
  async replace(lists: RbacLists): Promise<Policy> {
    await this.#removeAll();
    await Promise.all(
      objectsOf(lists).map((object) => this.#client.ask("POST", collectionPath(object), { body: toManifest(object) })),
    );
    await this.settle();
    return readPolicy(this.#client);
  }

  /** Resolves when the server's authorizer has seen everything written before the call. */
  async settle(): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    for (const marker of markersOf(round)) {
      await this.#client.ask("PUT", objectPath(marker), { body: toManifest(marker, "marker") });
    }
    const isSeen = async (resource: string, namespace: string): Promise<boolean> => {
      const request = { verb: "get", apiGroup: rbacApiGroup, resource, subresource: "", namespace, name: `${round}` };
      const user = { user: `marker-${round}`, groups: [] };
      return (await reviewAccess(this.#client, user, { kind: "resource", ...request })).allowed;
    };
    for (let asked = 0; asked < askCount; asked += 1) {
      if ((await isSeen("markers", "n")) && (await isSeen("clustermarkers", ""))) return;
      await this.#clock.sleep(pauseMs);
    }
    throw new Error("the server's authorizer did not see the newest objects in time");
  }

  async #removeAll(): Promise<void> {
    const namespaced = policyNamespaces.flatMap((namespace) => [
      { kind: "Role" as const, namespace },
      { kind: "RoleBinding" as const, namespace },
    ]);
    const wide = [
      { kind: "ClusterRole" as const, namespace: "" },
      { kind: "ClusterRoleBinding" as const, namespace: "" },
    ];
    const query = `labelSelector=${encodeURIComponent(`${testLabel}=policy`)}`;
    await Promise.all(
      [...namespaced, ...wide].map((where) => this.#client.ask("DELETE", `${collectionPath(where)}?${query}`)),
    );
  }
}
