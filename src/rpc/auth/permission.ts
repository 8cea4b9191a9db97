// SPDX-License-Identifier: Apache-2.0
import { type DescField, type DescMethod, getOption, hasOption, type Message, ScalarType } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { assert } from "../../base/assert.ts";
import { permission } from "../../gen/flotilla/options/v1/permission_pb.ts";
import { fleetApiGroup } from "../../model/names.ts";
import type { ResourceAttributes } from "../../rbac/attributes.ts";

/**
 * The permission that a method requires.
 * - `undeclared`: nothing was declared, so every call is denied (L16).
 * - `public`: no token needed; the declaration holds the reason.
 * - `authenticated`: any caller with a valid token.
 * - `resource`: a verb on a resource, by default of the hub's own API group. `nameField` is the request field with the
 *   object's name, if the permission is checked by name.
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

/**
 * Reads the option `flotilla.options.v1.permission` of a method. A contradictory declaration is a bug; it throws when
 * the router is created.
 */
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

/**
 * The attributes with the object name from this request. An empty name means the whole collection, which RBAC rules
 * with resourceNames do not allow.
 */
export function withNameOf(
  { attributes, nameField }: Extract<DeclaredPermission, { kind: "resource" }>,
  message: Message,
  method: DescMethod,
): ResourceAttributes {
  if (nameField === undefined) return attributes;
  const name = reflect(method.input, message).get(nameField);
  return { ...attributes, name: typeof name === "string" ? name : "" };
}
