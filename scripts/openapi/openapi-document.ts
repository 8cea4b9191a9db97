// SPDX-License-Identifier: Apache-2.0
// The OpenAPI document of the hub's RPCs as plain JSON over HTTP, made from the descriptors of proto/.
import {
  createFileRegistry,
  type DescFile,
  type DescMethod,
  fromBinary,
  getOption,
  type Registry,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { permission } from "../../src/gen/flotilla/options/v1/permission_pb.ts";
import { permissionOf } from "../../src/rpc/auth/permission.ts";
import { errorResponses, errorSchemas } from "./error-schemas.ts";
import { MessageSchemas, type Schema } from "./message-schemas.ts";
import { type CommentOf, readComments } from "./proto-comments.ts";

/** An OpenAPI 3.1 document. Streams are beside the paths: plain JSON cannot carry them. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Schema;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly [other: string]: unknown;
}

/** The operations of one method. */
export interface PathItem {
  readonly post: Schema;
  readonly get?: Schema;
}

const description = `The RPCs of a Flotilla hub as JSON over HTTP. Generated from proto/.

- POST a JSON object to the path of a method. Methods without side effects can also be called by GET, with the same
  object in the query parameter \`message\`.
- Numbers of 64 bits are texts. A field with its default value (0, false, "", an empty list) is left out of an answer,
  and may be left out of a request. Unknown fields are ignored.
- Later versions of the hub may add fields to answers.
- \`x-flotilla-streams\` lists the methods that answer with a stream of messages. They need a client of Connect, gRPC or
  gRPC-Web.`;

/** Makes the document from a FileDescriptorSet that was compiled with source positions. */
export function createOpenApiDocument(descriptorSet: Uint8Array): OpenApiDocument {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
  const files = ownFiles(registry);
  const commentOf = readComments(files);
  const schemas = new MessageSchemas(commentOf);
  const methods = files.flatMap(({ services }) => services).flatMap((service) => service.methods);
  const streams = methods.filter(({ methodKind }) => methodKind !== "unary");
  const paths = methods
    .filter(({ methodKind }) => methodKind === "unary")
    .map((method) => [pathOf(method), toPathItem(method, schemas, commentOf)] as const);
  return {
    openapi: "3.1.0",
    info: {
      title: "Flotilla hub",
      version: "v1",
      description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: [{ bearer: [] }],
    tags: files
      .flatMap(({ services }) => services)
      .map((service) => ({ name: service.typeName, description: commentOf(service) })),
    paths: Object.fromEntries(paths),
    "x-flotilla-streams": Object.fromEntries(
      streams.map((method) => [pathOf(method), toStream(method, schemas, commentOf)]),
    ),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A token of `flotilla token create`." },
      },
      responses: errorResponses,
      schemas: { ...errorSchemas, ...schemas.all },
    },
  };
}

function ownFiles(registry: Registry & { readonly files: Iterable<DescFile> }): readonly DescFile[] {
  return [...registry.files]
    .filter(({ proto }) => proto.package.startsWith("flotilla."))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

function toPathItem(method: DescMethod, schemas: MessageSchemas, commentOf: CommentOf): PathItem {
  const { parent, name, input, output, idempotency } = method;
  const json = (schema: Schema): Schema => ({ "application/json": { schema } });
  const operation = (verb: string): Schema => ({
    operationId: verb === "post" ? `${parent.typeName}.${name}` : `${parent.typeName}.${name}.${verb}`,
    tags: [parent.typeName],
    ...(commentOf(method) !== "" && { description: commentOf(method) }),
    ...accessOf(method),
  });
  const responses = {
    "200": { description: "The answer.", content: json(schemas.refTo(output)) },
    "401": { $ref: "#/components/responses/Unauthenticated" },
    "403": { $ref: "#/components/responses/Forbidden" },
    "421": { $ref: "#/components/responses/Misdirected" },
    default: { $ref: "#/components/responses/Failed" },
  };
  const post = {
    ...operation("post"),
    requestBody: { required: true, content: json(schemas.refTo(input)) },
    responses,
  };
  if (idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return { post };
  const constant = (parameter: string, value: string): Schema => ({
    name: parameter,
    in: "query",
    required: true,
    schema: { type: "string", enum: [value] },
  });
  const parameters = [
    constant("connect", "v1"),
    constant("encoding", "json"),
    { name: "message", in: "query", required: true, content: json(schemas.refTo(input)) },
  ];
  return { post, get: { ...operation("get"), parameters, responses } };
}

/** The permission that the method declares, and whether it needs a token. */
function accessOf(method: DescMethod): Schema {
  const declared = permissionOf(method);
  switch (declared.kind) {
    case "public":
      return { security: [], "x-flotilla-permission": { publicBecause: getOption(method, permission).publicBecause } };
    case "authenticated":
      return { "x-flotilla-permission": { authenticated: true } };
    case "resource": {
      const { verb, apiGroup, resource } = declared.attributes;
      const { nameField } = declared;
      return {
        "x-flotilla-permission": { verb, apiGroup, resource, ...(nameField && { nameField: nameField.jsonName }) },
      };
    }
    case "undeclared":
      throw new Error(`${pathOf(method)} declares no permission, so no caller could use it`);
  }
}

function toStream(method: DescMethod, schemas: MessageSchemas, commentOf: CommentOf): Schema {
  const { methodKind, input, output } = method;
  return {
    streams: methodKind.replace("_streaming", ""),
    ...(commentOf(method) !== "" && { description: commentOf(method) }),
    ...accessOf(method),
    request: schemas.refTo(input),
    message: schemas.refTo(output),
  };
}
