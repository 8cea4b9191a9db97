// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { openApiDocument } from "../../gen/flotilla/openapi.ts";
import type { Route } from "../../rpc/http/route.ts";
import { isImplemented, type ServiceEntry } from "../../rpc/server/connect-router.ts";

/** Where the document is served. */
export const openApiPath = "/openapi.json";

/**
 * Serves the OpenAPI document of the methods that this hub serves (RP57): a hub without a playground or without fleet
 * queries does not name theirs. The document has nothing of the fleet; it needs a token because every method that a
 * person calls does.
 */
export function createOpenApiRoute(services: readonly ServiceEntry[]): Route {
  const methods = services.flatMap((entry) => entry.service.methods.filter((method) => isImplemented(entry, method)));
  const body = renderFor(new Set(methods.map(({ parent, name }) => `/${parent.typeName}/${name}`)));
  return {
    path: openApiPath,
    access: { kind: "authenticated" },
    handler: () => ({ status: 200, contentType: "application/json", body }),
  };
}

/** The document with the methods of these paths. */
function renderFor(served: ReadonlySet<string>): string {
  const document: unknown = JSON.parse(openApiDocument);
  assert(isObject(document), "the generated OpenAPI document is an object");
  const { paths, "x-flotilla-streams": streams } = document;
  assert(isObject(paths) && isObject(streams), "the generated OpenAPI document has methods");
  const pick = (all: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
    Object.fromEntries(Object.entries(all).filter(([path]) => served.has(path)));
  return JSON.stringify({ ...document, paths: pick(paths), "x-flotilla-streams": pick(streams) });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
