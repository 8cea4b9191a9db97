// SPDX-License-Identifier: Apache-2.0
// The part of JSON Schema that our OpenAPI document uses. A keyword that it does not know is an error: a document could
// otherwise promise more than is checked.
import { isDeepStrictEqual } from "node:util";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Finds the target of a `$ref`. */
export type Resolve = (ref: string) => JsonObject;

/** References within one document: `#/components/schemas/NAME`. */
export function resolverOf(document: JsonObject): Resolve {
  return (ref) => {
    let found: unknown = document;
    for (const part of ref.replace(/^#\//, "").split("/")) found = toObject(found, ref)[part];
    return toObject(found, ref);
  };
}

export function toObject(value: unknown, what: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Error(`${what} is not an object`);
}

/**
 * The faults of a value, each with its place. Objects are closed where the schema names properties: an answer with a
 * field that the document does not have is a fault of the document.
 */
export function checkJson(value: unknown, schema: JsonObject, resolve: Resolve, at = "$"): readonly string[] {
  const inner = (part: unknown): readonly string[] => checkJson(value, toObject(part, at), resolve, at);
  return Object.entries(schema).flatMap(([keyword, rule]): readonly string[] => {
    switch (keyword) {
      case "description":
      case "format":
        return rule === "date-time" && Number.isNaN(Date.parse(String(value))) ? [`${at} is no moment`] : [];
      case "$ref":
        return inner(resolve(String(rule)));
      case "type":
        return [rule].flat().some((type) => type === typeOf(value) || (type === "number" && typeof value === "number"))
          ? []
          : [`${at} is of type ${typeOf(value)}, not ${String(rule)}`];
      case "enum":
        return list(rule).some((each) => isDeepStrictEqual(each, value)) ? [] : [`${at} has no known value`];
      case "pattern":
        return new RegExp(String(rule)).test(String(value)) ? [] : [`${at} does not match ${String(rule)}`];
      case "contentEncoding":
        return /^[A-Za-z0-9+/]*=*$/.test(String(value)) ? [] : [`${at} is not base64`];
      case "minimum":
        return Number(value) >= Number(rule) ? [] : [`${at} is less than ${String(rule)}`];
      case "maximum":
        return Number(value) <= Number(rule) ? [] : [`${at} is more than ${String(rule)}`];
      case "required":
        return list(rule).flatMap((name) => (has(value, String(name)) ? [] : [`${at} has no ${String(name)}`]));
      case "properties":
        return Object.entries(toObject(value, at)).flatMap(([name, each]) => {
          const property = toObject(rule, at)[name];
          if (property === undefined) return [`${at}.${name} is not in the document`];
          return checkJson(each, toObject(property, at), resolve, `${at}.${name}`);
        });
      case "additionalProperties":
        return Object.entries(toObject(value, at)).flatMap(([name, each]) =>
          checkJson(each, toObject(rule, at), resolve, `${at}.${name}`),
        );
      case "items":
        return list(value).flatMap((each, index) => checkJson(each, toObject(rule, at), resolve, `${at}[${index}]`));
      case "allOf":
        return list(rule).flatMap(inner);
      case "anyOf":
        return list(rule).some((part) => inner(part).length === 0) ? [] : [`${at} fits none of its alternatives`];
      case "oneOf":
        return list(rule).filter((part) => inner(part).length === 0).length === 1
          ? []
          : [`${at} does not fit exactly one of its alternatives`];
      case "not":
        return inner(rule).length > 0 ? [] : [`${at} is what it must not be`];
      default:
        throw new Error(`the keyword ${keyword} is not checked; teach it to ${import.meta.filename}`);
    }
  });
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isSafeInteger(value) ? "integer" : typeof value;
}

function has(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
