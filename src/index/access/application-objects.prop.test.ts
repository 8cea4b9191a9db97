// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Subject } from "../../model/subject.ts";
import { anyLists, anyUser } from "../../rbac/testing/arbitrary-rbac.ts";
import { isVisible } from "../../rbac/visibility.ts";
import { applicationObjects, applicationOf, type GrantedApplication } from "./application-objects.ts";
import { explainObject } from "./explain-object.ts";
import { naiveVisible, sampleObjects } from "./testing/naive-visibility.ts";
import { grantsWith, objectsOf, toLists } from "./testing/rbac-sample-rows.ts";
import { type JudgedObject, whoCanSee } from "./who-can-see.ts";

const cluster = "east";
const some = (...values: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...values], { minLength: 1 });

const anyApplications: fc.Arbitrary<readonly GrantedApplication[]> = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("shop", "mail", "web"),
    selector: fc.record({
      clusters: some("east", "e*", "west"),
      namespaces: some("n", "m"),
      resources: some("p", "q", "x/p"),
      names: fc.oneof(fc.constant([]), some("a", "b")),
    }),
    users: fc.subarray(["u", "v", "alice"]),
    groups: fc.subarray(["g", "h", "dev"]),
  }),
  { selector: ({ name }) => name, maxLength: 3 },
);

/** Whether an application shows an object, by its definition alone. */
function isGranted(applications: readonly GrantedApplication[], subject: Subject, object: JudgedObject): boolean {
  return applications.some(({ selector, users, groups }) => {
    const isMember = users.includes(subject.user) || groups.some((group) => subject.groups.includes(group));
    const isHere = selector.clusters.some((pattern) => pattern === cluster || pattern === "e*");
    const isNamed = selector.names.length === 0 || selector.names.includes(object.name);
    const isKind = selector.resources.includes(object.resource) && selector.namespaces.includes(object.namespace);
    return isMember && isHere && isNamed && isKind;
  });
}

test("[AG3] [Q-41] [L17] a user sees what the cluster's RBAC or an application shows, and nothing else", () => {
  const anySubject = fc.oneof(
    anyUser,
    fc.record({ user: fc.constantFrom("u", "alice"), groups: fc.subarray(["g", "dev"]) }),
  );
  fc.assert(
    fc.property(anyLists, anyApplications, anyApplications, anySubject, (lists, before, applications, subject) => {
      const objects = objectsOf(lists);
      const grants = grantsWith(objects);
      grants.setAdded(applicationObjects(before, cluster));
      grants.visibilityOf(subject, "p");
      grants.setAdded(applicationObjects(applications, cluster));
      for (const object of sampleObjects) {
        for (const use of ["list", "live"] as const) {
          const byRbac = naiveVisible(toLists(objects), subject, object, use);
          // A union of two rights can be watched by one and listed by the other: both sides are evaluated together.
          const all = toLists([...objects, ...applicationObjects(applications, cluster)]);
          const shown = isVisible(grants.visibilityOf(subject, object.resource, use), object.namespace, object.name);
          expect(shown).toBe(naiveVisible(all, subject, object, use));
          if (use === "list") expect(shown).toBe(byRbac || isGranted(applications, subject, object));
        }
      }
      // Drift is judged by the cluster's own objects.
      const own = grantsWith(objects).policy;
      expect(new Set([...grants.clusterPolicy().objects()].map((object) => JSON.stringify(object)))).toEqual(
        new Set([...own.objects()].map((object) => JSON.stringify(object))),
      );
      grants.setAdded([]);
      for (const object of sampleObjects)
        expect(isVisible(grants.visibilityOf(subject, object.resource), object.namespace, object.name)).toBe(
          naiveVisible(toLists(objects), subject, object, "list"),
        );
    }),
    { numRuns: 60 },
  );
});

test("[AG4] an application is named by explanations and by the list of viewers, as no object of a cluster can be", () => {
  const selector = { clusters: ["*"], namespaces: ["shop"], resources: ["pods"], names: [] };
  const grants = grantsWith([]);
  grants.setAdded(applicationObjects([{ name: "shop", selector, users: ["anna"], groups: ["sre"] }], cluster));
  const object = { resource: "pods", namespace: "shop", name: "web-1" };
  const { isVisible: isShown, via } = explainObject(grants, { user: "anna", groups: [] }, object);
  expect([isShown, applicationOf(via?.binding.name ?? ""), via?.binding.roleRef.name]).toEqual([
    true,
    "shop",
    "application/shop",
  ]);
  expect(explainObject(grants, { user: "bob", groups: [] }, object).isVisible).toBe(false);
  expect(explainObject(grants, { user: "anna", groups: [] }, { ...object, namespace: "other" }).isVisible).toBe(false);
  const viewers = whoCanSee(grants, object).viewers.map(({ holder, binding }) => `${holder.name} ${binding?.name}`);
  expect(viewers).toEqual(expect.arrayContaining(["anna application/shop", "sre application/shop"]));
  expect(applicationOf("admin")).toBeUndefined();
});
