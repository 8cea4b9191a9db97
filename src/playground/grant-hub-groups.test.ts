// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from "vitest";
import { hubGroups } from "../rbac/hub-roles.ts";
import { PlaygroundRig } from "./controllers/testing/playground-rig.ts";
import { grantHubGroups } from "./grant-hub-groups.ts";

const bindings = "rbac.authorization.k8s.io/clusterrolebindings";

let rig: PlaygroundRig;
beforeAll(async () => {
  rig = await PlaygroundRig.open({ nodeCount: 0 });
});
afterAll(() => rig.close());

/** Who is bound to what, by the name of the binding. */
function grants(): readonly string[] {
  return rig.client.objects
    .list(bindings)
    .map((binding) => JSON.stringify([binding["metadata"], binding["subjects"], binding["roleRef"]]))
    .filter((text) => text.includes("flotilla:"));
}

test("[TU8] each group of the hub may read in the cluster, admins may do everything", async () => {
  await grantHubGroups(rig.client);
  expect(grants()).toHaveLength(3);
  const roleOf = new Map([
    [hubGroups.admins, "cluster-admin"],
    [hubGroups.operators, "view"],
    [hubGroups.viewers, "view"],
  ]);
  for (const [group, role] of roleOf) {
    const own = grants().filter((text) => text.includes(JSON.stringify(group)));
    expect(own).toHaveLength(1);
    expect(own[0]).toContain(`"kind":"ClusterRole","name":"${role}"`);
  }
});

test("[L5] granting again writes nothing, and what somebody changed stays", async () => {
  await rig.client.update({ resource: bindings, namespace: "", name: "flotilla-viewers" }, (binding) => {
    binding["subjects"] = [];
  });
  const { revision } = rig;
  await grantHubGroups(rig.client);
  expect(rig.revision).toBe(revision);
  expect(grants()).toHaveLength(2);
});
