// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { findRoute, type Route } from "./route.ts";

function route(path: string, match?: "prefix"): Route {
  const access = { kind: "public", because: "test" } as const;
  const handler = () => ({ status: 200, contentType: "application/json", body: "" }) as const;
  return { path, access, handler, ...(match === undefined ? {} : { match }) };
}

test("[RP22] an exact path wins over prefixes, and the longest prefix over shorter ones", () => {
  const routes = [route("/a/", "prefix"), route("/a/b/", "prefix"), route("/a/b/c"), route("/a")];
  const found = (path: string): string | undefined => findRoute(routes, path)?.path;
  expect(found("/a")).toBe("/a");
  expect(found("/a/x")).toBe("/a/");
  expect(found("/a/b/x")).toBe("/a/b/");
  expect(found("/a/b/c")).toBe("/a/b/c");
  expect(found("/ab")).toBeUndefined();
  expect(found("")).toBeUndefined();
});
