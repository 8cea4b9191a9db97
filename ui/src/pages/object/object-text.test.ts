// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseObject, printObject } from "./object-text.ts";

test("[PG28] managed fields are left out until they are asked for, and nothing else is", () => {
  const json = JSON.stringify({
    kind: "Pod",
    metadata: { name: "api", managedFields: [{ manager: "kubectl" }, { manager: "kubelet" }] },
    managedFields: "of its own",
  });
  const read = parseObject(json);
  expect([read.kind, read.managerCount]).toEqual(["Pod", 2]);
  expect(printObject(read, false)).toBe("kind: Pod\nmanagedFields: of its own\nmetadata:\n  name: api\n");
  expect(printObject(read, true)).toContain("  managedFields:\n  - manager: kubectl\n  - manager: kubelet\n");
});

test("[PG28] keys of any name are keys, and integers of 64 bits are what they were", () => {
  const json =
    '{"metadata":{"__proto__":{"a":1},"managedFields":[]},"constructor":1,"limit":9223372036854775807,"ratio":0.5}';
  const read = parseObject(json);
  expect(read.kind).toBe("");
  expect(printObject(read, false)).toBe(
    "constructor: 1\nlimit: 9223372036854775807\nmetadata:\n  __proto__:\n    a: 1\nratio: 0.5\n",
  );
});

test.each([
  ["no JSON", "<html>"],
  ["no object", '["a"]'],
  ["nothing", ""],
  ["too deep for YAML", `{"a":${"[".repeat(200)}${"]".repeat(200)}}`],
  ["too deep for the stack", `{"long":12345678901234567890,"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
])("[PG28] %s is shown as it came", (_what, json) => {
  const read = parseObject(json);
  expect(printObject(read, false)).toBe(json);
});
