// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ApiError } from "../status/api-error.ts";
import { parseIncludeObject } from "./respond.ts";

test("includeObject is parsed, and refused with kube-apiserver's own sentence", () => {
  const parse = (query: string) => parseIncludeObject(new URLSearchParams(query));
  const queries = ["", "includeObject=", "includeObject=Metadata", "includeObject=None", "includeObject=Object"];
  expect(queries.map(parse)).toEqual(["Metadata", "Metadata", "Metadata", "None", "Object"]);
  const sentence =
    "Unable to convert to Table as requested: includeObject: Invalid value: \"foo\": must be 'Metadata', 'Object', 'None', or empty";
  expect(() => parse("includeObject=foo")).toThrow(new ApiError(400, "BadRequest", sentence));
});
