// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, getKey, isEqualJson, isList, type Json, type JsonObject, setKey } from "../json/json.ts";
import { objectAt } from "../json/json-fields.ts";
import { toSwaggerPath } from "./swagger-paths.ts";
import { toSwaggerDefinition } from "./swagger-schema.ts";

const kindsKey = "x-kubernetes-group-version-kind";

/**
 * The OpenAPI v2 document (Swagger 2.0) of these v3 documents, sorted by name. A type in several documents has the
 * kinds of all of them. `version` is the server's: `v1.36.3`.
 */
export function swaggerDocument(version: string, documents: Iterable<JsonObject>): JsonObject {
  const paths = new Map<string, JsonObject>();
  const definitions = new Map<string, JsonObject>();
  for (const document of documents) {
    for (const [path, item] of Object.entries(objectAt(document, "paths") ?? {}))
      paths.set(path, toSwaggerPath(item as JsonObject));
    for (const [name, schema] of Object.entries(objectAt(document, "components", "schemas") ?? {})) {
      const known = definitions.get(name);
      definitions.set(
        name,
        known === undefined
          ? toSwaggerDefinition(name, schema as JsonObject)
          : withKinds(known, getKey(schema as JsonObject, kindsKey)),
      );
    }
  }
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    paths: sorted(paths),
    definitions: sorted(definitions),
    securityDefinitions: {
      BearerToken: { description: "Bearer Token authentication", type: "apiKey", name: "authorization", in: "header" },
    },
    security: [{ BearerToken: [] }],
  };
}

/** DeleteOptions is a kind of every group; each document lists its own. */
function withKinds(schema: JsonObject, kinds: Json | undefined): JsonObject {
  const known = getKey(schema, kindsKey);
  if (!isList(kinds) || !isList(known)) return schema;
  const added = kinds.filter((kind) => !known.some((each) => isEqualJson(each, kind)));
  return added.length === 0 ? schema : { ...schema, [kindsKey]: [...known, ...added] };
}

function sorted(parts: ReadonlyMap<string, JsonObject>): JsonObject {
  const object: DraftObject = {};
  for (const name of [...parts.keys()].sort()) setKey(object, name, (parts.get(name) ?? {}) as DraftObject);
  return object;
}
