// SPDX-License-Identifier: Apache-2.0
import { getKey, isList, isObject, type Json, type JsonObject } from "../json/json.ts";
import { objectAt, textAt } from "../json/json-fields.ts";
import { toDefinitionReference } from "./swagger-schema.ts";

/** Converts the operations and parameters of a v3 path to v2. */
export function toSwaggerPath(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      key === "parameters" ? toParameters(value) : isObject(value) ? toOperation(value) : value,
    ]),
  );
}

/** v3 has media types for each schema; v2 has one list for all. */
function toOperation(operation: JsonObject): JsonObject {
  const { parameters, requestBody, responses, ...rest } = operation;
  const taken = isObject(requestBody) ? objectAt(requestBody, "content") : undefined;
  const content = objectAt(operation, "responses", "200", "content") ?? {};
  const body = taken === undefined ? [] : [toBody(taken, isObject(requestBody) && requestBody["required"] === true)];
  const all = [...body, ...toParameters(parameters)];
  return {
    consumes: taken === undefined ? ["*/*"] : Object.keys(taken),
    produces: Object.keys(content),
    schemes: ["https"],
    ...rest,
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: toResponses(isObject(responses) ? responses : {}),
  };
}

function toBody(content: JsonObject, isRequired: boolean): JsonObject {
  return { name: "body", in: "body", ...(isRequired ? { required: true } : {}), ...toSchema(content) };
}

/** In v2 a parameter's type is in the parameter itself. */
function toParameters(parameters: Json | undefined): readonly JsonObject[] {
  if (!isList(parameters)) return [];
  return parameters.flatMap((each): readonly JsonObject[] => {
    if (!isObject(each)) return [];
    const { schema, ...rest } = each;
    return [{ ...rest, ...(isObject(schema) ? schema : {}) }];
  });
}

function toResponses(responses: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(responses).map(([code, response]) => {
      const description = textAt(response, "description") ?? "";
      return [code, { description, ...toSchema(objectAt(response, "content") ?? {}) }];
    }),
  );
}

/** All media types of a body have the same schema. */
function toSchema(content: JsonObject): JsonObject {
  const [first = ""] = Object.keys(content);
  const media = getKey(content, first);
  const reference = media === undefined ? undefined : textAt(media, "schema", "$ref");
  return reference === undefined ? {} : { schema: { $ref: toDefinitionReference(reference) } };
}
