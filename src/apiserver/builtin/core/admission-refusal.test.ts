// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { refusedByAdmission } from "./admission-refusal.ts";

test.each([
  [{ name: "web" }, "web"],
  [{ name: "web-bcdfg", generateName: "web-" }, "web-"],
  [{ name: "chosen", generateName: "web-" }, "chosen"],
  [{ generateName: "web-" }, "web-"],
  [{}, "Unknown"],
])("an object of %j is refused as %s, so that trying again is refused with the same words", (metadata, name) => {
  expect(refusedByAdmission("pods", { metadata }, "no").message).toBe(`pods "${name}" is forbidden: no`);
});
