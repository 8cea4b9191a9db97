// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { openApiDocument } from "../../gen/flotilla/openapi.ts";
import type { Route } from "../../rpc/http/route.ts";
import type { ServiceEntry } from "../../rpc/server/connect-router.ts";

/** Where the document is served. */
export const openApiPath = "/openapi.json";

/**
 * Serves the OpenAPI document of the methods that this hub serves (RP57): a hub without a playground or without fleet
 * queries does not name theirs. The document has nothing of the fleet; it needs a token because every method that a
 * person calls does.
 */
export function createOpenApiRoute(services: readonly ServiceEntry[]): Route {
  const served = new Set(services.map(({ service }) => service.typeName));
  const body = renderFor(served);
  return {
    path: openApiPath,
    access: { kind: "authenticated" },
    handler: () => ({ status: 200, contentType: "application/json", body }),
  };
}

function renderFor(served: ReadonlySet<string>): string {
  const document: unknown = JSON.parse(openApiDocument);
  assert(isObject(document), "the generated OpenAPI document is an object");
  const { paths, "x-flotilla-streams": streams, tags } = document;
  assert(isObject(paths) && isObject(streams) && Array.isArray(tags), "the generated OpenAPI document has its parts");
  return JSON.stringify({
    ...document,
    tags: tags.filter((tag: unknown) => isObject(tag) && served.has(String(tag["name"]))),
    paths: withServed(paths, served),
    "x-flotilla-streams": withServed(streams, served),
  });
}

/** Keeps the paths of served services: `/SERVICE/METHOD`. */
function withServed(paths: Readonly<Record<string, unknown>>, served: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(paths).filter(([path]) => served.has(path.split("/")[1] ?? "")));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
