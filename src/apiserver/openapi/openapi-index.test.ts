// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { openApiIndex } from "./openapi-index.ts";

test("the index gives the address of each document, in the order of paths", () => {
  const index = openApiIndex([
    { group: "apps", version: "v1", hash: "B2" },
    { group: "", version: "v1", hash: "A1" },
  ]);
  expect(JSON.stringify(index)).toBe(
    '{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=A1"},"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=B2"}}}',
  );
});
