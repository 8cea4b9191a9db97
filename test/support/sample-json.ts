// SPDX-License-Identifier: Apache-2.0
import { type JsonObject, type Resolve, toObject } from "./check-json.ts";

/** Deeper messages are left out: a message can contain itself. */
const maxDepth = 8;

/** A value that fits a schema of our OpenAPI document, with every property. `text` is any text. */
export function sampleJson(schema: JsonObject, resolve: Resolve, text: string, depth = 0): unknown {
  const below = (part: unknown): unknown => sampleJson(toObject(part, "a part"), resolve, text, depth + 1);
  const { $ref, type, enum: values, anyOf, format } = schema;
  if (typeof $ref === "string") return below(resolve($ref));
  if (Array.isArray(values)) return values.at(-1);
  if (Array.isArray(anyOf)) return below(anyOf[0]);
  if (format === "date-time") return "2026-01-31T10:00:00Z";
  if (format === "int64" || format === "uint64") return "1";
  switch (type) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return 1;
    case "array":
      return depth < maxDepth ? [below(schema["items"])] : [];
    case "object":
      return depth < maxDepth ? sampleObject(schema, below) : {};
    case "string":
      return schema["contentEncoding"] === "base64" ? "" : text;
    default:
      throw new Error(`there is no sample for the type ${String(type)}`);
  }
}

function sampleObject(schema: JsonObject, below: (part: unknown) => unknown): JsonObject {
  const { properties = {}, additionalProperties, allOf } = schema;
  const spare = new Set(spareAlternatives(allOf));
  const named = Object.entries(toObject(properties, "properties")).filter(([name]) => !spare.has(name));
  return {
    ...Object.fromEntries(named.map(([name, part]) => [name, below(part)])),
    ...(additionalProperties === undefined ? {} : { sample: below(additionalProperties) }),
  };
}

/** Of each group of which one property may be present, all but the first. */
function spareAlternatives(groups: unknown): readonly string[] {
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group: unknown) => {
    const { oneOf } = toObject(group, "allOf");
    if (!Array.isArray(oneOf)) return [];
    const names = oneOf.flatMap((each: unknown) => toObject(each, "oneOf")["required"] ?? []).map(String);
    return names.slice(1);
  });
}
