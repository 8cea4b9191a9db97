// SPDX-License-Identifier: Apache-2.0
// The OpenAPI v2 document as protobuf: gnostic's message openapi.v2.Document. Go clients request it because it parses
// faster than JSON.

import { isObject, type JsonObject } from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import { WireWriter } from "../protobuf/wire-writer.ts";
import {
  anyValue,
  bool,
  double,
  int,
  message,
  named,
  part,
  repeated,
  text,
  texts,
  type WriteMessage,
} from "./gnostic-message.ts";

const externalDocs = message({ description: text(1), url: text(2) }, 3);

/** Schemas nest: the parts below refer to this function. */
const schema: WriteMessage = (writer, value) => wholeSchema(writer, value);
const schemas = named(1, schema);

const wholeSchema = message(
  {
    $ref: text(1),
    format: text(2),
    title: text(3),
    description: text(4),
    default: part(5, anyValue),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: bool(8),
    minimum: double(9),
    exclusiveMinimum: bool(10),
    maxLength: int(11),
    minLength: int(12),
    pattern: text(13),
    maxItems: int(14),
    minItems: int(15),
    uniqueItems: bool(16),
    maxProperties: int(17),
    minProperties: int(18),
    required: texts(19),
    enum: repeated(20, anyValue),
    // AdditionalPropertiesItem: 1 schema or 2 boolean.
    additionalProperties: part(21, (writer, value) => (isObject(value) ? part(1, schema) : bool(2))(writer, value)),
    // TypeItem: 1 each of its texts.
    type: part(22, text(1)),
    // ItemsItem: 1 each schema.
    items: part(23, part(1, schema)),
    properties: part(25, schemas),
    externalDocs: part(29, externalDocs),
    example: part(30, anyValue),
  },
  31,
);

const bodyParameter = message(
  { description: text(1), name: text(2), in: text(3), required: bool(4), schema: part(5, schema) },
  6,
);
const queryParameter = message(
  {
    required: bool(1),
    in: text(2),
    description: text(3),
    name: text(4),
    type: text(6),
    format: text(7),
    uniqueItems: bool(20),
  },
  23,
);
const pathParameter = message(
  {
    required: bool(1),
    in: text(2),
    description: text(3),
    name: text(4),
    type: text(5),
    format: text(6),
    uniqueItems: bool(19),
  },
  22,
);

/** Parameter: 1 of a body, or 2 any other: 3 of the query or 4 of the path. */
const parameter: WriteMessage = (writer, value) => {
  const place = isObject(value) ? textAt(value, "in") : undefined;
  if (place === "body") part(1, bodyParameter)(writer, value);
  else part(2, place === "path" ? part(4, pathParameter) : part(3, queryParameter))(writer, value);
};

/** ParametersItem: 1 a parameter or 2 a reference to one. */
const parameterItem: WriteMessage = (writer, value) => {
  const isReference = isObject(value) && Object.hasOwn(value, "$ref");
  (isReference ? part(2, message({ $ref: text(1), description: text(2) })) : part(1, parameter))(writer, value);
};

/** ResponseValue: 1 Response, whose schema is a SchemaItem: 1 Schema. */
const response = part(1, message({ description: text(1), schema: part(2, part(1, schema)) }, 5));

const operation = message(
  {
    tags: texts(1),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    produces: texts(6),
    consumes: texts(7),
    parameters: repeated(8, parameterItem),
    responses: part(9, named(1, response)),
    schemes: texts(10),
    deprecated: bool(11),
  },
  13,
);

const pathItem = message(
  {
    get: part(2, operation),
    put: part(3, operation),
    post: part(4, operation),
    delete: part(5, operation),
    options: part(6, operation),
    head: part(7, operation),
    patch: part(8, operation),
    parameters: repeated(9, parameterItem),
  },
  10,
);

/** SecurityDefinitionsItem: 2 ApiKeySecurity. */
const securityDefinition = part(2, message({ type: text(1), name: text(2), in: text(3), description: text(4) }, 5));

const document = message(
  {
    swagger: text(1),
    info: part(2, message({ title: text(1), version: text(2), description: text(3) }, 7)),
    paths: part(8, named(2, pathItem)),
    definitions: part(9, schemas),
    parameters: part(10, named(1, parameter)),
    // SecurityRequirement: NamedStringArray, whose value is a StringArray: 1 each text.
    security: repeated(12, named(1, texts(1))),
    securityDefinitions: part(13, named(1, securityDefinition)),
  },
  16,
);

/** Encodes a Swagger 2.0 document as kube-apiserver does. */
export function encodeGnostic(swagger: JsonObject): Uint8Array {
  const writer = new WireWriter();
  document(writer, swagger);
  return writer.take();
}
