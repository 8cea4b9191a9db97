// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../base/error.ts";
import { parseClusterRole, parseClusterRoleBinding, parseRole, parseRoleBinding } from "../rbac/rbac-parse.ts";
import { clusterRoleBindingKind, roleBindingKind } from "./rbac-binding-kinds.ts";
import { clusterRoleKind, roleKind } from "./rbac-role-kinds.ts";
import { clusterRoleBindingOfRow, clusterRoleOfRow, roleBindingOfRow, roleOfRow } from "./rbac-rows.ts";
import { sealedRowOf } from "./testing/sample-rows.ts";

const metadata = { name: "web", namespace: "shop" };
const word = fc.oneof(
  fc.constantFrom("get", "*", "", "pods", "a/b", "…", "__proto__"),
  fc.string({ unit: "grapheme" }),
);
const words = fc.option(fc.array(word, { maxLength: 4 }), { nil: null });

/** Rules as an API server may write them: a list that is absent, null or empty means the same. */
const rule = fc.record(
  { verbs: words, apiGroups: words, resources: words, resourceNames: words, nonResourceURLs: words },
  { requiredKeys: [] },
);
const subject = fc.record({ kind: word, apiGroup: word, name: word, namespace: word }, { requiredKeys: [] });
const role = fc.record({ metadata: fc.constant(metadata), rules: fc.array(rule, { maxLength: 6 }) });
const binding = fc.record({
  metadata: fc.constant(metadata),
  roleRef: fc.record({ apiGroup: word, kind: word, name: word }, { requiredKeys: [] }),
  subjects: fc.array(subject, { maxLength: 6 }),
});

/** Parts of which some are of the wrong type. */
const broken = fc.array(
  fc.oneof(
    rule,
    fc.record({ verbs: words, resourceNames: fc.jsonValue({ maxDepth: 1 }) }),
    fc.jsonValue({ maxDepth: 2 }),
  ),
  { maxLength: 6 },
);

function readOrNothing<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (reason) {
    if (reason instanceof FlotillaError) return [];
    throw reason;
  }
}

describe("RBAC objects, projected and read back from their rows", () => {
  test("[KI18] give the same rules", () => {
    fc.assert(
      fc.property(role, (object) => {
        expect(roleOfRow(sealedRowOf(roleKind, object))).toEqual(parseRole(object));
        const clusterScoped = { ...object, metadata: { name: "web" } };
        expect(clusterRoleOfRow(sealedRowOf(clusterRoleKind, clusterScoped))).toEqual(parseClusterRole(clusterScoped));
      }),
    );
  });

  test("[KI18] give the same subjects and role", () => {
    fc.assert(
      fc.property(binding, (object) => {
        expect(roleBindingOfRow(sealedRowOf(roleBindingKind, object))).toEqual(parseRoleBinding(object));
        const clusterScoped = { ...object, metadata: { name: "web" } };
        const row = sealedRowOf(clusterRoleBindingKind, clusterScoped);
        expect(clusterRoleBindingOfRow(row)).toEqual(parseClusterRoleBinding(clusterScoped));
      }),
    );
  });

  test("[KI18] [KI3] lose a rule that cannot be read, whole, and say how many", () => {
    fc.assert(
      fc.property(broken, (rules) => {
        const readable = rules.flatMap((each) => readOrNothing(() => parseRole({ metadata, rules: [each] }).rules));
        const row = sealedRowOf(roleKind, { metadata, rules });
        expect(roleOfRow(row).rules).toEqual(readable);
        expect(row.columns.get("unreadableCount") ?? 0).toBe(rules.length - readable.length);
      }),
    );
  });
});
