// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Subject } from "../../model/subject.ts";
import { intersectVisibility } from "../../rbac/intersect-visibility.ts";
import { createPolicy } from "../../rbac/policy.ts";
import type { RbacObject } from "../../rbac/rbac-types.ts";
import { anyLists, anyObject, anyUser } from "../../rbac/testing/arbitrary-rbac.ts";
import { compileVisibility } from "../../rbac/testing/compile-visibility.ts";
import { isVisible } from "../../rbac/visibility.ts";
import { ClusterGrants } from "./cluster-grants.ts";
import { GrantsCache } from "./grants-cache.ts";
import { listScope, watchScope } from "./resource-scope.ts";
import { naiveVisible, sampleObjects, sampleResources } from "./testing/naive-visibility.ts";
import { grantsWith, objectsOf, resourceOf, rowOfObject, toLists } from "./testing/rbac-sample-rows.ts";

const master: Subject = { user: "root", groups: ["system:masters"] };
const anySubject = fc.oneof({ weight: 15, arbitrary: anyUser }, { weight: 1, arbitrary: fc.constant(master) });

type Change = { readonly object: RbacObject; readonly how: "upsert" | "remove" | "break" };
const anyChange: fc.Arbitrary<Change> = fc.record({
  object: anyObject,
  how: fc.constantFrom("upsert", "upsert", "upsert", "remove", "break"),
});

/** Applies a change to the grants and to a plain copy of the objects. */
function applyTo(grants: ClusterGrants, objects: Map<string, RbacObject>, { object, how }: Change): void {
  const key = `${object.kind}/${object.namespace}/${object.name}`;
  if (how === "upsert") {
    grants.upsert(resourceOf(object), rowOfObject(object));
    objects.set(key, object);
    return;
  }
  if (how === "remove") grants.remove(resourceOf(object), object.namespace, object.name);
  else
    grants.upsert(resourceOf(object), {
      ...object,
      columns: new Map([
        ["rules", "{"],
        ["subjects", "{"],
      ]),
    });
  objects.delete(key);
}

/** The objects on which the answer differs from that of a scan over all RBAC objects. */
function faultsOf(grants: ClusterGrants, objects: Iterable<RbacObject>, subject: Subject): readonly string[] {
  const lists = toLists(objects);
  return sampleObjects.flatMap((object) =>
    (["list", "live"] as const).flatMap((use) => {
      const shown = isVisible(grants.visibilityOf(subject, object.resource, use), object.namespace, object.name);
      const expected = naiveVisible(lists, subject, object, use);
      return shown === expected ? [] : [`${use} ${JSON.stringify(object)} for ${subject.user} must be ${expected}`];
    }),
  );
}

describe("what a user may see in a cluster", () => {
  test("[RB65] [Q-8] [Q-35] [L17] is what the newest rows grant, after any changes, for users that share it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(anyChange, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 3 }),
        fc.array(anySubject, { minLength: 2, maxLength: 2 }),
        (flushes, subjects) => {
          const cache = new GrantsCache();
          const grants = new ClusterGrants({ cluster: "c1", cache });
          const objects = new Map<string, RbacObject>();
          for (const changes of flushes) {
            for (const change of changes) applyTo(grants, objects, change);
            for (const subject of subjects) expect(faultsOf(grants, objects.values(), subject)).toEqual([]);
          }
          grants.close();
          expect([cache.ruleLists.size, cache.roleRefs.size]).toEqual([0, 0]);
        },
      ),
      { numRuns: 120 },
    );
  });

  test("[RB67] is the same from the cache, from a cache that holds next to nothing, and compiled afresh", () => {
    const cache = new GrantsCache();
    const tiny = new GrantsCache({ maxEntries: 1, maxBytes: 300 });
    fc.assert(
      fc.property(anyLists, fc.array(anySubject, { minLength: 2, maxLength: 4 }), (lists, subjects) => {
        const policy = createPolicy(lists);
        const cached = grantsWith(objectsOf(lists), cache);
        const uncached = grantsWith(objectsOf(lists), tiny);
        for (const subject of [...subjects, ...subjects.map((each) => ({ ...each }))]) {
          for (const resource of sampleResources) {
            const listed = compileVisibility(policy, subject, listScope(resource));
            const live = intersectVisibility(listed, compileVisibility(policy, subject, watchScope(resource)));
            for (const grants of [cached, uncached]) {
              expect(grants.visibilityOf(subject, resource, "list")).toEqual(listed);
              expect(grants.visibilityOf(subject, resource, "live")).toEqual(live);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(cache.state.hitCount).toBeGreaterThan(0);
    expect(tiny.state.droppedCount).toBeGreaterThan(0);
    expect(tiny.state.bytes).toBeLessThanOrEqual(300);
  });
});

/** The grants of a subject as a text, by scanning: which rules apply where. */
function naiveGrants(objects: readonly RbacObject[], subject: Subject): string {
  const { roles, clusterRoles, roleBindings, clusterRoleBindings } = toLists(objects);
  const names = new Set([`User ${subject.user}`, ...subject.groups.map((group) => `Group ${group}`)]);
  const found = [...clusterRoleBindings, ...roleBindings].flatMap(({ namespace, subjects, roleRef }) => {
    const applies = subjects.some(({ kind, name, namespace: own }) => {
      const account = own || namespace;
      if (kind === "ServiceAccount")
        return account !== "" && names.has(`User system:serviceaccount:${account}:${name}`);
      return names.has(`${kind} ${name}`);
    });
    const role =
      roleRef.kind === "ClusterRole"
        ? clusterRoles.find(({ name }) => name === roleRef.name)
        : roles.find((each) => roleRef.kind === "Role" && each.name === roleRef.name && each.namespace === namespace);
    return applies && role !== undefined && role.rules.length > 0 ? [JSON.stringify([namespace, role.rules])] : [];
  });
  return subject.groups.includes("system:masters") ? "all" : [...new Set(found)].sort().join("\n");
}

describe("the key of grants", () => {
  test("[RB67] is equal for two subjects exactly if the same rules apply to them in the same namespaces", () => {
    let equalCount = 0;
    fc.assert(
      fc.property(anyLists, fc.array(anySubject, { minLength: 3, maxLength: 3 }), (lists, subjects) => {
        const objects = objectsOf(lists);
        const grants = grantsWith(objects);
        const keys = subjects.map((subject) => grants.grantsKey(subject));
        const expected = subjects.map((subject) => naiveGrants(objects, subject));
        for (const [at, key] of keys.entries()) {
          for (const [other, otherKey] of keys.entries()) {
            expect(key === otherKey).toBe(expected[at] === expected[other]);
            if (other > at && key === otherKey) equalCount += 1;
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(equalCount).toBeGreaterThan(10);
  });
});
