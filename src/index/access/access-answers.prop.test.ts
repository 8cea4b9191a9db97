// SPDX-License-Identifier: Apache-2.0
// The answers about access agree with what is enforced, for random policies.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Subject } from "../../model/subject.ts";
import { type RbacObject, rbacApiGroup } from "../../rbac/rbac-types.ts";
import { anyLists, anyObject, anyUser } from "../../rbac/testing/arbitrary-rbac.ts";
import { isVisible } from "../../rbac/visibility.ts";
import { type AccessHolder, holderKey, subjectOfHolder } from "./access-holder.ts";
import { type AccessRuleRow, type ListedKind, listAccessRules } from "./access-rule-rows.ts";
import { whatIf } from "./access-what-if.ts";
import type { ClusterGrants } from "./cluster-grants.ts";
import { explainObject } from "./explain-object.ts";
import { type ListedResource, restrictToScope } from "./listed-resource.ts";
import { sampleObjects, sampleResources } from "./testing/naive-visibility.ts";
import { grantsWith, objectsOf, resourceOf, rowOfObject } from "./testing/rbac-sample-rows.ts";
import { type JudgedObject, whoCanSee } from "./who-can-see.ts";

const kinds: readonly ListedKind[] = sampleResources.map((resource) => ({
  resource,
  kind: resource.toUpperCase(),
  isNamespaced: resource !== "namespaces",
}));
const namespacedObjects = sampleObjects.filter(
  ({ resource, namespace }) => (resource === "namespaces") === (namespace === ""),
);
const anySample = fc.constantFrom(...namespacedObjects);

const subjectNames = ["a", "b", "*", "system:serviceaccount:n:a"];

/** Every user, group and service account that random bindings can name. Only `a` and `b` can be service accounts. */
const holders: readonly AccessHolder[] = [
  ...[...subjectNames, "system:masters"].map((name): AccessHolder => ({ kind: "Group", namespace: "", name })),
  ...subjectNames.slice(0, 3).map((name): AccessHolder => ({ kind: "User", namespace: "", name })),
  ...["n", "m"].flatMap((namespace) =>
    subjectNames.map(
      (name): AccessHolder =>
        name.length === 1 && name !== "*"
          ? { kind: "ServiceAccount", namespace, name }
          : { kind: "User", namespace: "", name: `system:serviceaccount:${namespace}:${name}` },
    ),
  ),
];

/** A subject that has only the holder's own rights. */
function aloneAs({ kind, namespace, name }: AccessHolder): Subject {
  if (kind === "Group") return { user: "", groups: [name] };
  return { user: kind === "User" ? name : `system:serviceaccount:${namespace}:${name}`, groups: [] };
}

function sees(access: ClusterGrants, subject: Subject, { resource, namespace, name }: JudgedObject): boolean {
  return isVisible(access.visibilityOf(subject, resource), namespace, name);
}

function isInRow(row: AccessRuleRow, { resource, namespace, name }: JudgedObject): boolean {
  const isInside = row.namespace === "" || row.namespace === (resource === "namespaces" ? name : namespace);
  const kind = row.accessibleKinds.find((each) => each.resource === resource);
  return isInside && kind !== undefined && (kind.resourceNames.length === 0 || kind.resourceNames.includes(name));
}

test("[RB73] [Q-38] an object is visible exactly if a row of the access rules holds it", () => {
  let shownCount = 0;
  fc.assert(
    fc.property(anyLists, anyUser, (lists, subject) => {
      const access = grantsWith(objectsOf(lists));
      const { rows } = listAccessRules(access, subject, kinds);
      for (const object of namespacedObjects) {
        const isShown = sees(access, subject, object);
        expect(rows.some((row) => isInRow(row, object))).toBe(isShown);
        if (isShown) shownCount += 1;
      }
    }),
    { numRuns: 120 },
  );
  expect(shownCount).toBeGreaterThan(20);
});

/** The kinds of which the subject may see an object, if it exists. */
function knownKinds(access: ClusterGrants, subject: Subject): typeof kinds {
  return kinds.filter(
    (each: ListedResource) => restrictToScope(access.visibilityOf(subject, each.resource), each).kind !== "none",
  );
}

test("[RB77] [L17] a resource is listed exactly if an object of it, existing or not, would be visible", () => {
  fc.assert(
    fc.property(anyLists, anyUser, (lists, subject) => {
      const access = grantsWith(objectsOf(lists));
      const expected = sampleResources.filter((resource) =>
        namespacedObjects.some((object) => object.resource === resource && sees(access, subject, object)),
      );
      expect(knownKinds(access, subject).map(({ resource }) => resource)).toEqual(expected);
    }),
    { numRuns: 120 },
  );
});

describe("[RB74] [Q-39] an explanation", () => {
  test("agrees with what is visible; what it names as missing shows the object", () => {
    const counts = { visible: 0, hidden: 0 };
    fc.assert(
      fc.property(anyLists, anyUser, anySample, (lists, subject, object) => {
        const access = grantsWith(objectsOf(lists));
        const { isVisible: isShown, via, missing } = explainObject(access, subject, object);
        expect(isShown).toBe(sees(access, subject, object));
        counts[isShown ? "visible" : "hidden"] += 1;
        if (via !== undefined) {
          access.remove(resourceOf(via.binding), via.binding.namespace, via.binding.name);
          expect(explainObject(access, subject, object).via?.binding).not.toEqual(via.binding);
        }
        if (missing === undefined) return;
        const added = { name: "added", roleRef: { apiGroup: rbacApiGroup, kind: "ClusterRole", name: "added" } };
        const subjects = [{ kind: "User", name: subject.user, namespace: "" }];
        const { namespace, rule } = missing;
        const objects: readonly RbacObject[] = [
          { kind: "ClusterRole", namespace: "", name: "added", rules: [rule] },
          missing.bindingKind === "RoleBinding"
            ? { kind: "RoleBinding", namespace, subjects, ...added }
            : { kind: "ClusterRoleBinding", namespace: "", subjects, ...added },
        ];
        for (const each of objects) access.upsert(resourceOf(each), rowOfObject(each));
        expect(sees(access, subject, object)).toBe(true);
      }),
      { numRuns: 300 },
    );
    expect(Math.min(counts.visible, counts.hidden)).toBeGreaterThan(5);
  });

  test("of a live view agrees with what is live", () => {
    fc.assert(
      fc.property(anyLists, anyUser, anySample, (lists, subject, object) => {
        const access = grantsWith(objectsOf(lists));
        const live = access.visibilityOf(subject, object.resource, "live");
        const explained = explainObject(access, subject, object, "live");
        expect(explained.isVisible).toBe(isVisible(live, object.namespace, object.name));
      }),
      { numRuns: 200 },
    );
  });
});

test("[RB75] those who can see an object are exactly those that see it by their own name or group", () => {
  fc.assert(
    fc.property(anyLists, anySample, (lists, object) => {
      const access = grantsWith(objectsOf(lists));
      const { viewers } = whoCanSee(access, object);
      const found = viewers.map(({ holder }) => holderKey(holder));
      const expected = holders.filter((holder) => sees(access, aloneAs(holder), object)).map(holderKey);
      expect(found.toSorted()).toEqual(expected.toSorted());
      for (const { holder, binding } of viewers) {
        const explained = explainObject(access, aloneAs(holder), object);
        if (binding === undefined) expect(holder.name).toBe("system:masters");
        else expect(explained.via).toBeDefined();
      }
    }),
    { numRuns: 200 },
  );
});

test("[RB76] trying RBAC objects names exactly the changes that applying them would make", () => {
  let changeCount = 0;
  fc.assert(
    fc.property(anyLists, fc.array(anyObject, { minLength: 1, maxLength: 3 }), (lists, objects) => {
      const access = grantsWith(objectsOf(lists));
      const { version } = access;
      const { changes } = whatIf(access, objects, kinds);
      changeCount += changes.length;
      expect(access.version).toBe(version);
      const applied = grantsWith([...objectsOf(lists), ...objects]);
      for (const holder of holders) {
        const subject = subjectOfHolder(holder);
        for (const { resource } of kinds) {
          const own = namespacedObjects.filter((object) => object.resource === resource);
          const differs = own.some((each) => sees(access, subject, each) !== sees(applied, subject, each));
          const change = changes.find(
            (each) => each.resource === resource && holderKey(each.holder) === holderKey(holder),
          );
          expect(change !== undefined).toBe(differs);
          for (const { namespace, name } of change === undefined ? [] : own) {
            expect(isVisible(change?.before ?? { kind: "none" }, namespace, name)).toBe(
              sees(access, subject, { resource, namespace, name }),
            );
            expect(isVisible(change?.after ?? { kind: "none" }, namespace, name)).toBe(
              sees(applied, subject, { resource, namespace, name }),
            );
          }
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(changeCount).toBeGreaterThan(5);
});
