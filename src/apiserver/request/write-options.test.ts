// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { badRequest } from "../status/api-error.ts";
import { parseWriteOptions, settleComplaints } from "./write-options.ts";

const parse = (query: string, isApply = false): ReturnType<typeof parseWriteOptions> =>
  parseWriteOptions(new URLSearchParams(query), "PatchOptions", isApply);

test("by default a write is not a dry run, and field validation warns", () => {
  expect(parse("")).toEqual({ isDryRun: false, fieldValidation: "Warn", fieldManager: "" });
  expect(parse("dryRun=All&fieldValidation=Strict&fieldManager=me")).toEqual({
    isDryRun: true,
    fieldValidation: "Strict",
    fieldManager: "me",
  });
});

describe("wrong options are refused in the real server's words", () => {
  test.each([
    ["dryRun=none", 'dryRun: Unsupported value: ["none"]: supported values: "All"'],
    ["fieldValidation=x", 'fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"'],
    [`fieldManager=${"x".repeat(129)}`, "fieldManager: Too long: may not be more than 128 bytes"],
    ["fieldManager=%C3%A9%01", 'fieldManager: Invalid value: "é\\x01": invalid character U+0001 (at position 2)'],
    ["force=true", "force: Forbidden: may not be specified for non-apply patch"],
  ])("%s", (query, message) => {
    expect(() => parse(query)).toThrow(`PatchOptions.meta.k8s.io "" is invalid: ${message}`);
  });

  test("an apply must name its manager and may use force", () => {
    expect(() => parse("force=true", true)).toThrow("fieldManager: Required value: is required for apply patch");
    expect(() => parse("force=true&fieldManager=me", true)).not.toThrow();
  });
});

test.each([
  ["Warn", ["a", "b"]],
  ["Ignore", []],
] as const)("complaints in mode %s", (validation, warned) => {
  const warnings = new Set<string>();
  settleComplaints(["a", "b", "a"], validation, warnings, () => badRequest("no"));
  expect([...warnings]).toEqual(warned);
});

test("strict mode refuses, but only where there is something to complain of", () => {
  const refuse = (): ReturnType<typeof badRequest> => badRequest("no");
  expect(() => settleComplaints(["a"], "Strict", new Set(), refuse)).toThrow("no");
  expect(() => settleComplaints([], "Strict", new Set(), refuse)).not.toThrow();
});
