// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import { copyJson, type DraftObject, isEqualJson } from "../../json/json.ts";
import { ApiError } from "../../status/api-error.ts";
import { coreStrategies } from "./core-strategies.ts";

/** Names of fields that the core kinds have at various places, and some that nobody has. */
const names = [
  "metadata",
  "spec",
  "status",
  "template",
  "labels",
  "selector",
  "type",
  "containers",
  "initContainers",
  "volumes",
  "env",
  "valueFrom",
  "fieldRef",
  "resources",
  "limits",
  "requests",
  "cpu",
  "memory",
  "ports",
  "port",
  "protocol",
  "nodePort",
  "clusterIP",
  "clusterIPs",
  "ipFamilies",
  "subsets",
  "addresses",
  "ip",
  "data",
  "stringData",
  "hard",
  "capacity",
  "storage",
  "hostPath",
  "nfs",
  "projected",
  "sources",
  "configMap",
  "items",
  "image",
  "name",
  "livenessProbe",
  "httpGet",
  "tolerations",
  "taints",
  "finalizers",
  "accessModes",
  "affinity",
  "__proto__",
  "constructor",
];

const scalar = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "A b",
    "None",
    "10.0.0.1",
    "LoadBalancer",
    "ExternalName",
    "Always",
    "Container",
    "1Gi",
    "100u",
    "-1",
  ),
  fc.integer({ min: -2, max: 70_000 }),
  fc.boolean(),
  fc.constant(null),
);

const anyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 6 }),
  ),
})).value;

const anyObject = fc
  .dictionary(fc.constantFrom(...names), anyValue, { maxKeys: 8 })
  .map((object) => copyJson(JSON.parse(JSON.stringify(object)) as DraftObject));

describe.each(Object.entries(coreStrategies))("%s", (_resource, strategy) => {
  test("filling defaults twice is filling them once", () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        strategy.setDefaults?.(object);
        const once = copyJson(object);
        strategy.setDefaults?.(object);
        expect(isEqualJson(object, once)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test("any object is validated or refused with an ApiError", () => {
    const context = {
      nowMs: 0,
      random: createSeededRandom(1),
      userName: "u",
      objects: { get: () => ({}), list: () => [] },
    };
    fc.assert(
      fc.property(anyObject, anyObject, (object, old) => {
        const updated = copyJson(object);
        const judge = (): readonly unknown[] => {
          strategy.setDefaults?.(object);
          strategy.prepareForCreate?.(object, context);
          return [
            strategy.warnings?.(object, undefined),
            strategy.selectableFields?.(object),
            ...(strategy.validate?.(object) ?? []),
          ];
        };
        const judgeUpdate = (): readonly unknown[] => {
          strategy.setDefaults?.(updated);
          strategy.prepareForUpdate?.(updated, old, context);
          return [...(strategy.validateUpdate?.(updated, old) ?? [])];
        };
        for (const run of [judge, judgeUpdate]) expect(["judged", "refused"]).toContain(outcome(run));
      }),
      { numRuns: 30 },
    );
  });

  test("every selectable field has a name and a value", () => {
    const fields = strategy.selectableFields?.({}) ?? {};
    expect(Object.keys(fields).sort()).toEqual([...(strategy.selectableFieldNames ?? [])].sort());
  });
});

const optional = { requiredKeys: [] };
const amounts = fc.dictionary(fc.constantFrom("cpu", "memory", "hugepages-2Mi"), fc.constantFrom("1", "100u", "2Gi"));
const anyContainer = fc.record(
  {
    image: fc.constantFrom("", "nginx", "nginx:1"),
    restartPolicy: fc.constantFrom("Always", "Never"),
    ports: fc.array(fc.record({ containerPort: fc.nat(9) }), { maxLength: 2 }),
    env: fc.constant([{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }]),
    livenessProbe: fc.constantFrom({}, { httpGet: { port: 1 } }, { grpc: { port: 1 } }),
    resources: fc.record({ limits: amounts, requests: amounts }, optional),
  },
  optional,
);
const anyPodSpec = fc.record(
  {
    containers: fc.array(anyContainer, { maxLength: 3 }),
    initContainers: fc.array(anyContainer, { maxLength: 2 }),
    volumes: fc.array(fc.constantFrom({}, { secret: {} }, { projected: {} }, { hostPath: {} }, { rbd: {} }), {
      maxLength: 3,
    }),
    resources: fc.record({ limits: amounts, requests: amounts }, optional),
    hostNetwork: fc.boolean(),
    serviceAccount: fc.constantFrom("", "a"),
    serviceAccountName: fc.constantFrom("", "b"),
  },
  optional,
);

test("filling the defaults of a whole Pod twice is filling them once", () => {
  fc.assert(
    fc.property(anyPodSpec, (spec) => {
      const pod = copyJson({ spec: JSON.parse(JSON.stringify(spec)) as DraftObject });
      coreStrategies["pods"]?.setDefaults?.(pod);
      const once = copyJson(pod);
      coreStrategies["pods"]?.setDefaults?.(pod);
      expect(pod).toEqual(once);
    }),
  );
});

function outcome(run: () => unknown): string {
  try {
    run();
    return "judged";
  } catch (reason) {
    if (reason instanceof ApiError) return "refused";
    throw reason;
  }
}
