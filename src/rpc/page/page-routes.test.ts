// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { findRoute, type RouteAnswer } from "../http/route.ts";
import type { PageFile, PageFiles } from "./page-files.ts";
import { createPageRoutes } from "./page-routes.ts";

function fileOf(text: string): PageFile {
  const identity = new TextEncoder().encode(text);
  return { contentType: "text/html; charset=utf-8", hash: text, isImmutable: false, identity, coded: new Map() };
}

const files: PageFiles = new Map([
  ["index.html", fileOf("the page")],
  ["icon.svg", fileOf("the icon")],
  ["assets/a-12345678.js", fileOf("a script")],
]);

async function get(path: string, routes = createPageRoutes(files)): Promise<RouteAnswer | undefined> {
  const route = findRoute(routes, path);
  const query = new URLSearchParams();
  const request = {
    method: "GET",
    path,
    query,
    requestId: "r",
    address: "127.0.0.1",
    caller: undefined,
    log: silentLogger,
  };
  return route?.handler({ ...request, header: () => undefined });
}

async function bodyOf(path: string): Promise<string> {
  const answer = await get(path);
  return answer !== undefined && "body" in answer ? new TextDecoder().decode(Buffer.from(answer.body)) : "";
}

test("[PG5] / and /ui lead to the page, by an answer that no browser keeps", async () => {
  expect(await get("/")).toEqual({ status: 302, location: "/ui/" });
  expect(await get("/ui")).toEqual({ status: 302, location: "/ui/" });
});

test.each([
  ["/ui/", "the page"],
  ["/ui/index.html", "the page"],
  ["/ui/icon.svg", "the icon"],
  ["/ui/assets/a-12345678.js", "a script"],
  ["/ui/login", "the page"],
  ["/ui/clusters/east", "the page"],
  ["/ui/clusters/a.b.svg", "the page"],
  ["/ui/../../etc/passwd", "the page"],
  ["/ui/%2e%2e/package.json", "the page"],
  ["/ui//icon.svg", "the page"],
  ["/ui/__proto__", "the page"],
])("[PG5][RP48] %s is %s", async (path, body) => {
  expect(await bodyOf(path)).toBe(body);
});

test("[PG5] a file of another build is not there, rather than a page in its place", async () => {
  await expect(get("/ui/assets/b-87654321.js")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a hub that was built without its page says so in one plain sentence", async () => {
  const routes = createPageRoutes(undefined);
  expect(await get("/ui/", routes)).toMatchObject({ status: 404, contentType: "text/plain; charset=utf-8" });
  expect(routes.every(({ access }) => access.kind === "public" && access.because.length > 20)).toBe(true);
});
