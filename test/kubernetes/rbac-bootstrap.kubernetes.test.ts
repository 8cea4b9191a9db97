// SPDX-License-Identifier: Apache-2.0
// The roles and bindings that every cluster is born with, and the aggregated ones that its controllers fill: real
// policies, asked about as their own subjects.
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createPolicy } from "../../src/rbac/policy.ts";
import type { RbacLists } from "../../src/rbac/testing/arbitrary-rbac.ts";
import { clusterRoleBinding, roleBinding } from "../../src/rbac/testing/rbac-objects.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import { reviewAccess } from "./rbac/access-review.ts";
import { type Asked, findDifferences, reviewsInFlight } from "./rbac/ask-round.ts";
import { requestsFrom, subjectsOf } from "./rbac/bootstrap-questions.ts";
import { few } from "./rbac/few.ts";
import { readLists } from "./rbac/rbac-api.ts";
import { ServerPolicy } from "./rbac/server-policy.ts";
import { runBounded } from "./run-bounded.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";
import { isWholeRun } from "./whole-run.ts";

const seed = 3;
const questionCount = isWholeRun() ? 20_000 : 2_000;
const namespaces = ["n", "kube-system", "kube-public", "elsewhere"];

/** The aggregated roles, given to people in a namespace and everywhere. */
const people: RbacLists = {
  roles: [],
  clusterRoles: [],
  roleBindings: ["view", "edit", "admin"].map((name) => roleBinding("n", name, `ClusterRole/${name}`, `Group:${name}`)),
  clusterRoleBindings: [
    clusterRoleBinding("all-view", "ClusterRole/view", "User:viewer"),
    clusterRoleBinding("all-admin", "ClusterRole/cluster-admin", "User:boss"),
  ],
};

/**
 * Rules that the controllers have yet to copy into the aggregated roles; after the last one these roles do not change
 * any more.
 */
function missingRules({ clusterRoles }: RbacLists): readonly string[] {
  const rulesOf = (name: string): readonly string[] =>
    clusterRoles.filter((role) => role.name === name).flatMap(({ rules }) => rules.map((rule) => JSON.stringify(rule)));
  const levels = ["view", "edit", "admin"];
  return levels.flatMap((name, at) => {
    const held = new Set(rulesOf(name));
    const wanted = levels.slice(0, at + 1).flatMap((level) => rulesOf(`system:aggregate-to-${level}`));
    if (wanted.length === 0) return [`nothing to aggregate to ${name}`];
    return wanted.filter((rule) => !held.has(rule));
  });
}

describeOnKit("the RBAC that clusters are born with", ["controllers"], (kit) => {
  let cluster: KubernetesCluster;

  beforeAll(async () => {
    cluster = await startCluster({ kit, controllers: true });
  });
  afterAll(() => cluster.stop());

  test("[RB24, RB27, RB28] every subject of a bootstrap binding gets the server's verdict and reason", async () => {
    const client = cluster.connect("admin", reviewsInFlight);
    const server = new ServerPolicy(client, systemClock);
    await server.open();
    await server.replace(people);
    await expect
      .poll(async () => missingRules(await readLists(client)), { timeout: 30_000, interval: 100 })
      .toEqual([]);
    await server.settle();
    const lists = await readLists(client);
    const subjects = subjectsOf(lists);
    expect(subjects.length).toBeGreaterThan(40);
    const rules = [...lists.clusterRoles, ...lists.roles].flatMap((role) => role.rules);
    const anyQuestion = fc.tuple(fc.constantFrom(...subjects), requestsFrom(rules, namespaces));
    const drawn = fc.sample(anyQuestion, { seed, numRuns: questionCount });
    const asked = await runBounded(drawn, reviewsInFlight, async ([user, request]): Promise<Asked> => {
      return { user, request, answer: await reviewAccess(client, user, request) };
    });
    expect(few(findDifferences(createPolicy(lists), asked))).toEqual([]);
    expect(asked.filter(({ answer }) => answer.allowed).length / asked.length).toBeGreaterThan(0.03);
  });
});
