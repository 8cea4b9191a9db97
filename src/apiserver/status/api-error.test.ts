// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ApiError, alreadyExists, conflict, forbidden, invalid, noSuchResource, notFound } from "./api-error.ts";
import { requiredValue } from "./field-error.ts";
import { successStatus, toStatus } from "./status-object.ts";

const widgets = { group: "example.com", resource: "widgets" };
const pods = { group: "", resource: "pods" };

test.each([
  [notFound(widgets, "a"), 404, "NotFound", 'widgets.example.com "a" not found'],
  [notFound(pods, "a"), 404, "NotFound", 'pods "a" not found'],
  [alreadyExists(pods, "a"), 409, "AlreadyExists", 'pods "a" already exists'],
  [conflict(pods, "a", "no"), 409, "Conflict", 'Operation cannot be fulfilled on pods "a": no'],
  [forbidden(pods, "", "no"), 403, "Forbidden", "pods is forbidden: no"],
  [forbidden(pods, "a\u0001", "no"), 403, "Forbidden", 'pods "a\\x01" is forbidden: no'],
])("%s", (error, code, reason, message) => {
  expect(toStatus(error)).toMatchObject({ kind: "Status", status: "Failure", code, reason, message });
});

test("details leave out what is empty", () => {
  expect(toStatus(notFound(widgets, "a"))["details"]).toEqual({ name: "a", group: "example.com", kind: "widgets" });
  expect(toStatus(forbidden(pods, "", "no"))["details"]).toEqual({ kind: "pods" });
  expect(toStatus(noSuchResource())["details"]).toEqual({});
  expect(toStatus(new ApiError(400, "", "x"))).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "x",
    code: 400,
  });
});

test("an invalid object is named by its kind; a sentence stands once, a cause as often as it was found", () => {
  const twice = [requiredValue("spec.a"), requiredValue("spec.a"), requiredValue("spec.b", "why")];
  const error = invalid({ group: "example.com", kind: "Widget" }, "a", twice);
  expect(error.message).toBe(
    'Widget.example.com "a" is invalid: [spec.a: Required value, spec.b: Required value: why]',
  );
  expect(error.details?.causes).toHaveLength(3);
});

test("a success status names the deleted object", () => {
  expect(successStatus({ name: "a", group: "", kind: "pods", uid: "u" })).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: "a", kind: "pods", uid: "u" },
  });
});
