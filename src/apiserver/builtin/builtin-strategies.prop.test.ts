// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { copyJson, type DraftObject, type Json, type JsonObject, setKey } from "../json/json.ts";
import { strategyFor } from "./builtin-strategies.ts";

const resources = [
  "apps/deployments",
  "apps/replicasets",
  "apps/statefulsets",
  "apps/daemonsets",
  "apps/controllerrevisions",
  "batch/jobs",
  "batch/cronjobs",
  "networking.k8s.io/ingresses",
  "networking.k8s.io/ingressclasses",
  "networking.k8s.io/networkpolicies",
  "policy/poddisruptionbudgets",
  "autoscaling/horizontalpodautoscalers",
  "rbac.authorization.k8s.io/roles",
  "rbac.authorization.k8s.io/rolebindings",
  "rbac.authorization.k8s.io/clusterroles",
  "rbac.authorization.k8s.io/clusterrolebindings",
  "coordination.k8s.io/leases",
  "discovery.k8s.io/endpointslices",
  "events.k8s.io/events",
  "scheduling.k8s.io/priorityclasses",
  "storage.k8s.io/storageclasses",
  "storage.k8s.io/csidrivers",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/volumeattachments",
] as const;

/** Keys that strategies look at, and keys that only hostile objects have. */
const keys = [
  "spec",
  "metadata",
  "template",
  "labels",
  "selector",
  "matchLabels",
  "strategy",
  "updateStrategy",
  "rollingUpdate",
  "type",
  "rules",
  "http",
  "paths",
  "ingress",
  "egress",
  "ports",
  "behavior",
  "metrics",
  "resource",
  "target",
  "subjects",
  "roleRef",
  "kind",
  "endpoints",
  "addresses",
  "jobTemplate",
  "podFailurePolicy",
  "volumeClaimTemplates",
  "drivers",
  "series",
  "__proto__",
  "constructor",
];

const leaf = fc.oneof(
  fc.constantFrom("", "RollingUpdate", "Recreate", "Indexed", "User", "x", "25%"),
  fc.integer({ min: -2, max: 3 }),
  fc.boolean(),
  fc.constant(null),
);

const { tree } = fc.letrec<{ tree: Json; object: JsonObject }>((tie) => ({
  tree: fc.oneof({ maxDepth: 6, withCrossShrink: true }, leaf, tie("object"), fc.array(tie("tree"), { maxLength: 2 })),
  object: fc.array(fc.tuple(fc.constantFrom(...keys), tie("tree")), { maxLength: 4 }).map((entries) => {
    const made: DraftObject = {};
    for (const [key, value] of entries) setKey(made, key, copyJson(value));
    return made;
  }),
}));

const anyObject = fc
  .record({
    metadata: fc.constant<Json>({ name: "x" }),
    spec: tree,
    ...Object.fromEntries(keys.slice(10, 20).map((key) => [key, tree])),
  })
  .map((fields): JsonObject => fields);

test.each(resources)(
  "%s: filling defaults twice is filling them once, and nothing a client sends makes the rules fail",
  (path) => {
    const [group = "", resource = ""] = path.split("/");
    const { setDefaults, validate, validateUpdate, validateStatusUpdate, warnings, selectableFields } = strategyFor(
      group,
      resource,
    );
    fc.assert(
      fc.property(anyObject, anyObject, (body, other) => {
        const object = copyJson(body);
        setDefaults?.(object);
        const again = copyJson(object);
        setDefaults?.(again);
        expect(again).toEqual(object);
        const errors = [
          ...(validate?.(object) ?? []),
          ...(validateUpdate?.(object, other) ?? []),
          ...(validateStatusUpdate?.(object, other) ?? []),
        ];
        for (const { field, text } of errors) expect(`${field}${text}`).not.toContain("undefined");
        expect(warnings?.(object, undefined) ?? []).toEqual(expect.any(Array));
        for (const value of Object.values(selectableFields?.(object) ?? {})) expect(value).toBeTypeOf("string");
      }),
      { numRuns: 60 },
    );
  },
);
