// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../../json/json.ts";
import { podSpecWarnings } from "./pod-spec-warnings.ts";

test.for<[string, JsonObject, readonly string[]]>([
  [
    "a variable that hides another",
    {
      containers: [
        {
          env: [
            { name: "A", value: "1" },
            { name: "A", value: "2" },
            { name: "A", value: "$(A)3" },
          ],
        },
      ],
    },
    ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
  ],
  [
    "a port twice",
    {
      containers: [
        {
          ports: [
            { containerPort: 80, protocol: "TCP" },
            { containerPort: 80, protocol: "TCP" },
          ],
        },
      ],
    },
    ["spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]"],
  ],
  [
    "memory in parts of bytes",
    { containers: [{ resources: { limits: { memory: "100m" } } }] },
    ['spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer'],
  ],
  [
    "an old node label",
    { nodeSelector: { "beta.kubernetes.io/os": "linux" } },
    ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
  ],
  [
    "the role label of control-plane nodes before v1.24",
    { nodeSelector: { "node-role.kubernetes.io/master": "" } },
    ['spec.nodeSelector[node-role.kubernetes.io/master]: use "node-role.kubernetes.io/control-plane" instead'],
  ],
  ["nothing doubtful", { containers: [{ name: "a", ports: [{ containerPort: 80 }] }] }, []],
])("%s", ([, spec, warnings]) => {
  expect(podSpecWarnings({ spec }, "")).toEqual(warnings);
});

test("a template's place stands before the rest", () => {
  expect(podSpecWarnings({ spec: { terminationGracePeriodSeconds: -1 } }, "spec.template")).toEqual([
    "spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
  ]);
});
