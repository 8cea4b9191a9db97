// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { parseDeleteOptions } from "./delete-options.ts";

const parse = (body?: JsonObject, query = ""): ReturnType<typeof parseDeleteOptions> =>
  parseDeleteOptions(body, new URLSearchParams(query));

test.each([
  [undefined, "propagationPolicy=Orphan", "Orphan"],
  [{ propagationPolicy: "Foreground" }, "", "Foreground"],
  [{ orphanDependents: true }, "", "Orphan"],
  [{ orphanDependents: false }, "", "Background"],
  [undefined, "orphanDependents=maybe", "Orphan"],
  [undefined, "", undefined],
])("%j and ?%s mean %s", (body, query, propagation) => {
  expect(parse(body, query).propagation).toBe(propagation);
});

test("grace, dry run and preconditions are read", () => {
  const body = { gracePeriodSeconds: 5, dryRun: ["All"], preconditions: { uid: "u", resourceVersion: "7" } };
  expect(parse(body)).toMatchObject({ graceSeconds: 5, isDryRun: true, uid: "u", resourceVersion: "7" });
  expect(parse(undefined, "gracePeriodSeconds=3&dryRun=All")).toMatchObject({ graceSeconds: 3, isDryRun: true });
});

test.each([
  [{ propagationPolicy: "x" }, 'supported values: "Foreground", "Background", "Orphan", "nil"'],
  [
    { orphanDependents: true, propagationPolicy: "Orphan" },
    "orphanDependents and deletionPropagation cannot be both set",
  ],
  [{ dryRun: ["x"] }, 'dryRun: Unsupported value: ["x"]: supported values: "All"'],
])("%j is refused", (body, message) => expect(() => parse(body)).toThrow(message));
