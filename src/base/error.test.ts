// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FlotillaError, hasCode, toFlotillaError } from "./error.ts";
import { type ErrorCode, type ErrorCodeSpec, errorCodes } from "./error-codes.ts";

const table = Object.entries<ErrorCodeSpec>(errorCodes);

/** The codes that Connect and gRPC know besides "ok". */
const connectCodes = [
  "canceled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
  "unauthenticated",
];

describe.each(table)("%s", (code, spec) => {
  test("means something on every surface", () => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(["retry", "resume", "relist", "reauth", "stop"]).toContain(spec.next);
    expect(connectCodes).toContain(spec.connect);
    expect(Number.isInteger(spec.http) && spec.http >= 400 && spec.http <= 599).toBe(true);
    expect(Number.isInteger(spec.exit) && spec.exit >= 1 && spec.exit <= 8).toBe(true);
    expect(spec.kubernetes).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(spec.means).toMatch(/^[A-Z][^\n]*\.$/);
  });

  test("tells the same to every kind of caller", () => {
    // Where one surface has a code of that meaning, all of them must use theirs: a client may look at any.
    const sameMeaning = (one: boolean, other: boolean): void => expect(one).toBe(other);
    sameMeaning(spec.http === 401, spec.connect === "unauthenticated");
    sameMeaning(spec.http === 401, spec.next === "reauth");
    sameMeaning(spec.http === 401, spec.kubernetes === "Unauthorized");
    sameMeaning(spec.http === 403, spec.connect === "permission_denied");
    sameMeaning(spec.http === 403, spec.kubernetes === "Forbidden");
    sameMeaning(spec.http === 401 || spec.http === 403, spec.exit === 4);
    sameMeaning(spec.http === 404, spec.connect === "not_found");
    sameMeaning(spec.http === 404, spec.kubernetes === "NotFound");
    sameMeaning(spec.http === 404, spec.exit === 3);
    sameMeaning(spec.http === 409, ["Conflict", "AlreadyExists"].includes(spec.kubernetes));
    sameMeaning(spec.http === 410, spec.next === "relist");
    sameMeaning(spec.http === 410, spec.kubernetes === "Expired");
    sameMeaning(spec.http === 429, spec.kubernetes === "TooManyRequests");
    sameMeaning(spec.http === 501, spec.connect === "unimplemented");
    sameMeaning(spec.http === 504, spec.kubernetes === "Timeout");
  });
});

test("a call that can be tried again unchanged ends with an exit code that scripts may wait on", () => {
  const retried = table.filter(([, spec]) => spec.next === "retry");
  expect(retried.length).toBeGreaterThan(0);
  for (const [code, spec] of retried) expect([code, [5, 6, 8].includes(spec.exit)]).toEqual([code, true]);
});

test("the next move of an error is that of its code", () => {
  const codes: readonly ErrorCode[] = ["UNAVAILABLE", "GONE", "UNAUTHENTICATED", "FENCED"];
  expect(codes.map((code) => new FlotillaError(code, "it failed").next)).toEqual(["retry", "relist", "reauth", "stop"]);
});

test("an error has a cause only if it was given one", () => {
  expect("cause" in new FlotillaError("INTERNAL", "it failed")).toBe(false);
  const cause = new Error("below");
  expect(new FlotillaError("INTERNAL", "it failed", { cause }).cause).toBe(cause);
  expect(new FlotillaError("INTERNAL", "it failed", { ids: { cluster: "a" } }).ids).toEqual({ cluster: "a" });
});

test("a foreign error becomes INTERNAL and shows nothing of itself to the caller", () => {
  const foreign = new Error("password=hunter2");
  const error = toFlotillaError(foreign);
  expect(error.code).toBe("INTERNAL");
  expect(error.message).not.toContain("hunter2");
  expect(error.cause).toBe(foreign);
  expect(toFlotillaError("just text").code).toBe("INTERNAL");
});

test("an error of ours stays the same object, and is told by its code alone", () => {
  const error = new FlotillaError("CONFLICT", "changed meanwhile");
  expect(toFlotillaError(error)).toBe(error);
  expect(hasCode(error, "CONFLICT")).toBe(true);
  expect(hasCode(error, "GONE")).toBe(false);
  expect(hasCode({ code: "CONFLICT" }, "CONFLICT")).toBe(false);
});
