// SPDX-License-Identifier: Apache-2.0
import { create, type DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { RevokeTokenRequestSchema, SystemService, TokenService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { RowService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import { SessionService } from "../../gen/flotilla/session/v1/session_pb.ts";
import { createTestService, echoMethod } from "../testing/echo-service.ts";
import { permissionOf, withNameOf } from "./permission.ts";

function only(service: ReturnType<typeof createTestService>): DescMethod {
  const [method] = service.methods;
  if (method === undefined) throw new Error("the service has no method");
  return method;
}

test("[RP28] a permission without a group means the hub's own", () => {
  expect(permissionOf(TokenService.method.createToken)).toMatchObject({
    kind: "resource",
    attributes: { verb: "create", apiGroup: "fleet.flotilla.dev", resource: "tokens", name: "" },
    nameField: undefined,
  });
  const other = createTestService("A", [{ name: "Get", permission: { verb: "get", resource: "pods", group: "apps" } }]);
  expect(permissionOf(only(other))).toMatchObject({ attributes: { apiGroup: "apps" } });
});

test("[RP28] every method of the hub's contract declares one", () => {
  for (const method of [TokenService, SystemService, SessionService].flatMap(
    (service) => service.methods as readonly DescMethod[],
  )) {
    expect([method.name, permissionOf(method).kind]).not.toEqual([method.name, "undeclared"]);
  }
});

test("[Q-44] every method by which users read rows is declared with a verb that reads", () => {
  for (const method of [QueryService, RowService].flatMap((service) => service.methods as readonly DescMethod[])) {
    const declared = permissionOf(method);
    const verb = declared.kind === "resource" ? declared.attributes.verb : declared.kind;
    expect([method.name, ["get", "list", "watch"].includes(verb)]).toEqual([method.name, true]);
  }
});

test("[RP28][L16] no option, or one that says nothing, is no permission", () => {
  expect(permissionOf(echoMethod("Bare"))).toEqual({ kind: "undeclared" });
  expect(permissionOf(echoMethod("Empty"))).toEqual({ kind: "undeclared" });
  const half = createTestService("B", [{ name: "Get", permission: { verb: "get" } }]);
  expect(permissionOf(only(half))).toEqual({ kind: "undeclared" });
});

test("[RP28] the name comes from the field that the method names", () => {
  const method = TokenService.method.revokeToken;
  const declared = permissionOf(method);
  if (declared.kind !== "resource") throw new Error("RevokeToken declares a resource");
  const message = create(RevokeTokenRequestSchema, { id: "tok_1" });
  expect(withNameOf(declared, message, method)).toMatchObject({ verb: "delete", resource: "tokens", name: "tok_1" });
});

test.each([
  ["a field that is not there", { verb: "get", resource: "a", nameField: "nothing" }, undefined],
  ["a request of many messages", { verb: "get", resource: "a", nameField: "value" }, "client"],
  ["authenticated beside a verb", { verb: "get", authenticated: true }, undefined],
  ["public beside a verb", { verb: "get", publicBecause: "it is" }, undefined],
] as const)("[RP28] a declaration with %s is a bug found at start", (_name, permission, streams) => {
  const service = createTestService("C", [{ name: "Get", permission, ...(streams === undefined ? {} : { streams }) }]);
  expect(() => permissionOf(only(service))).toThrow(/^flotilla\.test\.v1\.C\.Get: /);
});
