// SPDX-License-Identifier: Apache-2.0
// Reads types and fields from the server's OpenAPI documents. Descriptions are ignored.
import { z } from "zod";
import type { Json } from "../../src/apiserver/json/json.ts";

const groupVersionKind = z.object({ group: z.string(), version: z.string(), kind: z.string() });
const listType = z.enum(["atomic", "set", "map"]);
const mapType = z.enum(["atomic", "granular"]);
const jsonValue: z.ZodType<Json> = z.json();

const valueSchema = z.object({
  type: z.string().optional(),
  format: z.string().optional(),
  $ref: z.string().optional(),
  allOf: z.array(z.object({ $ref: z.string() })).optional(),
  default: jsonValue.optional(),
  enum: z.array(z.string()).optional(),
});
const propertySchema = valueSchema.extend({
  items: valueSchema.optional(),
  additionalProperties: valueSchema.extend({ items: valueSchema.optional() }).optional(),
  "x-kubernetes-list-type": listType.optional(),
  "x-kubernetes-list-map-keys": z.array(z.string()).optional(),
  "x-kubernetes-map-type": mapType.optional(),
  "x-kubernetes-patch-strategy": z.string().optional(),
  "x-kubernetes-patch-merge-key": z.string().optional(),
});
const typeSchema = z.object({
  properties: z.record(z.string(), propertySchema).default({}),
  required: z.array(z.string()).default([]),
  "x-kubernetes-group-version-kind": z.array(groupVersionKind).default([]),
  "x-kubernetes-map-type": mapType.optional(),
});
const document = z.object({ components: z.object({ schemas: z.record(z.string(), typeSchema) }) });

export type OpenApiProperty = z.infer<typeof propertySchema>;
export type OpenApiType = z.infer<typeof typeSchema>;

/** Types of several documents by name; a type in several documents is the same in all. */
export function readOpenApi(documents: readonly unknown[]): ReadonlyMap<string, OpenApiType> {
  const types = new Map<string, OpenApiType>();
  for (const each of documents) {
    for (const [name, type] of Object.entries(document.parse(each).components.schemas)) types.set(name, type);
  }
  return types;
}

/** The name of a kind's type. Each version of a kind is a separate type. */
export function findKind(
  types: ReadonlyMap<string, OpenApiType>,
  group: string,
  version: string,
  kind: string,
): string | undefined {
  for (const [name, type] of types) {
    const isIt = type["x-kubernetes-group-version-kind"].some(
      (each) => each.group === group && each.version === version && each.kind === kind,
    );
    if (isIt) return name;
  }
  return undefined;
}
