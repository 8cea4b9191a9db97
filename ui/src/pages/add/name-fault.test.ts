// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseClusterId } from "../../../../src/model/cluster-id.ts";
import { nameFault } from "./name-fault.ts";

test("[CO1] a name is right for the page exactly where it is for the hub", () => {
  const names = [
    "a",
    "prod-east-1",
    "9",
    "a".repeat(63),
    "",
    "-a",
    "a-",
    "A",
    "a b",
    "a.b",
    "ä",
    "a\n",
    "a".repeat(64),
  ];
  const isTaken = (name: string): boolean => {
    try {
      return parseClusterId(name) === name;
    } catch {
      return false;
    }
  };
  expect(names.map((name) => nameFault(name) === "")).toEqual(names.map(isTaken));
  expect(nameFault("My cluster")).toMatch(/lower-case letters.*such as production-east\.$/);
});
