// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import { openApiDocument } from "../../src/gen/flotilla/openapi.ts";
import { loadAllServices } from "../support/all-services.ts";
import { resolverOf, toObject } from "../support/check-json.ts";

const document = toObject(JSON.parse(readFileSync(join(root, "docs/reference/openapi.json"), "utf8")), "the document");
const resolve = resolverOf(document);
const propertiesOf = (message: string) => toObject(resolve(`#/components/schemas/${message}`)["properties"], message);

test("[RP57] the document names every method once: by POST, by GET too if it has no side effects, or as a stream", async () => {
  const methods = (await loadAllServices()).flatMap((service) => service.methods);
  const expected = methods.map(({ parent, name, methodKind, idempotency }) => {
    const isRead = idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    const verbs = isRead ? "post get" : "post";
    return `/${parent.typeName}/${name} ${methodKind === "unary" ? verbs : "stream"}`;
  });
  const paths = Object.entries(toObject(document["paths"], "paths"));
  const named = [
    ...paths.map(([path, item]) => `${path} ${Object.keys(toObject(item, path)).join(" ")}`),
    ...Object.keys(toObject(document["x-flotilla-streams"], "streams")).map((path) => `${path} stream`),
  ];
  expect(named.sort()).toEqual(expected.sort());
  expect(JSON.parse(openApiDocument)).toEqual(document);
});

test("[RP57] schemas are those of protobuf's JSON, with the comments of proto/", () => {
  expect(propertiesOf("flotilla.query.v1.ListObjectsResponse")).toMatchObject({
    total: { type: "string", format: "uint64", description: "Exact, of all pages." },
    objects: { type: "array", items: { $ref: "#/components/schemas/flotilla.query.v1.FoundObject" } },
    canonicalQuery: { type: "string" },
  });
  expect(propertiesOf("flotilla.fleet.v1.Row")).toMatchObject({
    createdAt: { type: "string", format: "date-time" },
    columns: { type: "object", additionalProperties: { $ref: "#/components/schemas/flotilla.fleet.v1.ColumnValue" } },
  });
});

test("[RP57] an operation has its permission; a method without a token gives the reason", () => {
  const paths = toObject(document["paths"], "paths");
  const post = (path: string) => toObject(toObject(paths[path], path)["post"], path);
  expect(post("/flotilla.admin.v1.TokenService/RevokeToken")["x-flotilla-permission"]).toEqual({
    verb: "delete",
    apiGroup: "fleet.flotilla.dev",
    resource: "tokens",
    nameField: "id",
  });
  expect(post("/flotilla.session.v1.SessionService/Join")).toMatchObject({
    security: [],
    "x-flotilla-permission": { publicBecause: expect.stringContaining("token") as unknown },
  });
});
