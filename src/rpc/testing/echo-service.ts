// SPDX-License-Identifier: Apache-2.0
// A service for tests with every kind of method and declaration. Built at run time because it is not part of the API.
import {
  create,
  createFileRegistry,
  type DescMethod,
  type DescService,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_wrappers,
  type MethodDescriptorProtoSchema,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { assert } from "../../base/assert.ts";
import { type PermissionSchema, permission } from "../../gen/flotilla/options/v1/permission_pb.ts";

type Declared = MessageInitShape<typeof PermissionSchema>;

interface MethodSpec {
  readonly name: string;
  readonly permission?: Declared;
  readonly streams?: "client" | "server" | "both";
}

const text = ".google.protobuf.StringValue";

function methodProto(spec: MethodSpec): MessageInitShape<typeof MethodDescriptorProtoSchema> {
  const options = create(MethodOptionsSchema);
  if (spec.permission !== undefined) {
    setExtension(options, permission, {
      $typeName: "flotilla.options.v1.Permission",
      ...emptyPermission,
      ...spec.permission,
    });
  }
  return {
    name: spec.name,
    inputType: text,
    outputType: text,
    clientStreaming: spec.streams === "client" || spec.streams === "both",
    serverStreaming: spec.streams === "server" || spec.streams === "both",
    options,
  };
}

const emptyPermission = { verb: "", group: "", resource: "", nameField: "", authenticated: false, publicBecause: "" };

/** A service of methods from StringValue to StringValue. */
export function createTestService(name: string, methods: readonly MethodSpec[]): DescService {
  const file = create(FileDescriptorProtoSchema, {
    name: `${name}.proto`,
    package: "flotilla.test.v1",
    syntax: "proto3",
    dependency: ["google/protobuf/wrappers.proto"],
    service: [{ name, method: methods.map(methodProto) }],
  });
  const set = create(FileDescriptorSetSchema, { file: [file_google_protobuf_wrappers.proto, file] });
  const service = createFileRegistry(set).getService(`flotilla.test.v1.${name}`);
  assert(service !== undefined, `${name} was not built`);
  return service;
}

export const EchoService: DescService = createTestService("EchoService", [
  { name: "Echo", permission: { verb: "get", resource: "echoes" } },
  { name: "EchoNamed", permission: { verb: "get", resource: "echoes", nameField: "value" } },
  { name: "Anybody", permission: { authenticated: true } },
  { name: "Watch", permission: { verb: "watch", resource: "echoes" }, streams: "server" },
  { name: "WatchNamed", permission: { verb: "watch", resource: "echoes", nameField: "value" }, streams: "server" },
  { name: "Collect", permission: { verb: "create", resource: "echoes" }, streams: "client" },
  { name: "Chat", permission: { verb: "create", resource: "echoes" }, streams: "both" },
  { name: "Bare" },
  { name: "BareWatch", streams: "server" },
  { name: "Empty", permission: {} },
]);

/** The method of that name. */
export function echoMethod(name: string): DescMethod {
  const method = EchoService.methods.find((candidate) => candidate.name === name);
  assert(method !== undefined, `EchoService has no method ${name}`);
  return method;
}
