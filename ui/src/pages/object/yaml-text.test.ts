// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parse } from "yaml";
import { printYaml } from "./yaml-text.ts";

test("[PG28] an object is printed in the form of kubectl", () => {
  const pod = {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name: "api-5d8f",
      namespace: "shop",
      uid: "11111111-2222-4333-8444-555555555555",
      creationTimestamp: "2026-11-16T10:02:00Z",
      labels: {},
    },
    spec: {
      containers: [
        {
          name: "api",
          image: "registry.example/api:1.25",
          args: ["--port", "8080", ["nested", {}]],
          env: [{ name: "MARKER", value: "yes" }],
          resources: { limits: { cpu: "100m", memory: "64Mi" } },
        },
      ],
      script: "set -e\n\necho ready # now\n",
      note: "no newline\nat the end",
      message: "failed: it is over",
      replicas: 2,
      isHost: false,
      owner: null,
      tolerations: [],
    },
  };
  expect(printYaml(pod)).toBe(`apiVersion: v1
kind: Pod
metadata:
  creationTimestamp: "2026-11-16T10:02:00Z"
  labels: {}
  name: api-5d8f
  namespace: shop
  uid: 11111111-2222-4333-8444-555555555555
spec:
  containers:
  - args:
    - "--port"
    - "8080"
    - - nested
      - {}
    env:
    - name: MARKER
      value: "yes"
    image: registry.example/api:1.25
    name: api
    resources:
      limits:
        cpu: 100m
        memory: 64Mi
  isHost: false
  message: "failed: it is over"
  note: |-
    no newline
    at the end
  owner: null
  replicas: 2
  script: |
    set -e

    echo ready # now
  tolerations: []
`);
});

test("[PG28] what turns text around or cannot be seen is printed by its number", () => {
  const hidden = "user\u202e nimda\u200b \u{e0001}\u2028\u0007";
  expect(printYaml({ hidden })).toBe('hidden: "user\\u202e nimda\\u200b \\U000e0001\\u2028\\u0007"\n');
  expect(printYaml({ lines: "one\u202e\ntwo" })).toBe('lines: "one\\u202e\\ntwo"\n');
});

test.each([
  ["a text alone", "one\n---\ntwo\n"],
  ["a list alone", [["one\ntwo"], "three"]],
  ["a key longer than a simple one may be", { [`${"k".repeat(2_000)}: #`]: ["one", { two: 2 }], after: 1 }],
  ["several long keys below a list", [{ [`${"k".repeat(1_100)}1`]: {}, [`${"k".repeat(1_100)}2`]: "one\ntwo" }]],
  ["an integer that has no number of its own", { limit: 9_223_372_036_854_775_807n }],
])("%s is read as it was", (_what, value) => {
  expect(parse(printYaml(value), { intAsBigInt: true })).toEqual(toBigInts(value));
});

test("[PG28] what is nested too deep is refused with one error, however deep it is", () => {
  for (const depth of [102, 500_000]) {
    const value: unknown = JSON.parse("[".repeat(depth) + "]".repeat(depth));
    expect(() => printYaml(value)).toThrow(RangeError);
  }
  const fits: unknown = JSON.parse('{"a":'.repeat(100) + "1".padEnd(101, "}"));
  expect(parse(printYaml(fits))).toEqual(fits);
});

function toBigInts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toBigInts);
  if (typeof value === "number") return BigInt(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, toBigInts(field)]));
}
