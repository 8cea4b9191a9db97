// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { openApiV2, openApiV2Protobuf } from "./empty-swagger.ts";
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

test("the v2 document is empty in both forms", () => {
  expect(openApiV2("v1.36.3")).toEqual({
    swagger: "2.0",
    info: { title: "Kubernetes", version: "v1.36.3" },
    paths: {},
    definitions: {},
  });
  expect(openApiV2Protobuf("v1.36.3").toHex()).toBe("0a03322e3012150a0a4b756265726e65746573120776312e33362e3342004a00");
});
