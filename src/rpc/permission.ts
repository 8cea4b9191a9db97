// SPDX-License-Identifier: Apache-2.0
import { type DescField, type DescMethod, getOption, hasOption, type Message, ScalarType } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { assert } from "../base/assert.ts";
import { permission } from "../gen/flotilla/options/v1/permission_pb.ts";
import { fleetApiGroup } from "../model/names.ts";
import type { ResourceAttributes } from "../rbac/attributes.ts";

/**
 * What a method asks of its caller. `undeclared`: nothing was declared, so nobody may call it (L16); `public`: anybody, without
 * a token, and the reason stands in its declaration; `authenticated`: any caller with a token; `resource`: a verb on a resource (of the hub's own API group where it names none), with the object's name from a field of the request where `nameField` is there.
 */
export type DeclaredPermission =
  | { readonly kind: "undeclared" }
  | { readonly kind: "public" }
  | { readonly kind: "authenticated" }
  | {
      readonly kind: "resource";
      readonly attributes: ResourceAttributes;
      readonly nameField: DescField | undefined;
    };

/** Reads the option `flotilla.options.v1.permission` of a method. A declaration that contradicts itself is a bug, found when the router is made. */
export function permissionOf(method: DescMethod): DeclaredPermission {
  if (!hasOption(method, permission)) return { kind: "undeclared" };
  const { verb, group, resource, nameField, authenticated, publicBecause } = getOption(method, permission);
  const where = `${method.parent.typeName}.${method.name}`;
  if (publicBecause !== "") {
    assert(verb + group + resource + nameField === "" && !authenticated, `${where}: "public_because" stands alone`);
    return { kind: "public" };
  }
  if (authenticated) {
    assert(verb + group + resource + nameField === "", `${where}: "authenticated" stands alone`);
    return { kind: "authenticated" };
  }
  if (verb === "" || resource === "") return { kind: "undeclared" };
  return {
    kind: "resource",
    attributes: {
      kind: "resource",
      verb,
      apiGroup: group === "" ? fleetApiGroup : group,
      resource,
      subresource: "",
      namespace: "",
      name: "",
    },
    nameField: nameField === "" ? undefined : findNameField(method, nameField, where),
  };
}

/** True for a method whose request is one message. */
export function isSingle({ methodKind }: DescMethod): boolean {
  return methodKind === "unary" || methodKind === "server_streaming";
}

function findNameField(method: DescMethod, name: string, where: string): DescField {
  assert(isSingle(method), `${where}: name_field needs a request of one message`);
  const field = method.input.fields.find((candidate) => candidate.name === name);
  const isText = field?.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
  assert(
    field !== undefined && isText,
    `${where}: name_field "${name}" is not a string field of ${method.input.typeName}`,
  );
  return field;
}

/** The attributes with the name that this request carries. An empty name means the whole collection, which rules by name do not grant. */
export function withNameOf(
  { attributes, nameField }: Extract<DeclaredPermission, { kind: "resource" }>,
  message: Message,
  method: DescMethod,
): ResourceAttributes {
  if (nameField === undefined) return attributes;
  const name = reflect(method.input, message).get(nameField);
  return { ...attributes, name: typeof name === "string" ? name : "" };
}
