// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { authorize, type CallAuthorizer } from "./authorize-call.ts";

const subject = { user: "alice", groups: [] };
const request = { kind: "nonResource", verb: "get", path: "/metrics" } as const;

test("[RP29][L16] only true allows; every other outcome is a denial", async () => {
  const allowed = authorize({ isAllowed: async () => true }, subject, request, silentLogger);
  await expect(allowed).resolves.toBeUndefined();
  const odd: readonly CallAuthorizer["isAllowed"][] = [
    () => false,
    async () => false,
    () => Promise.reject(new Error("away")),
    () => {
      throw new Error("away");
    },
    // What a careless implementation may give despite its type.
    () => "yes" as unknown as boolean,
    () => undefined as unknown as boolean,
  ];
  for (const isAllowed of odd) {
    await expect(authorize({ isAllowed }, subject, request, silentLogger)).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
      message: 'user "alice" may not get /metrics; ask an administrator of the hub for a token whose groups may',
    });
  }
});

test("[RP28] a denial names verb, resource, object and group", async () => {
  const named = {
    kind: "resource",
    verb: "delete",
    apiGroup: "fleet.flotilla.dev",
    resource: "tokens",
    subresource: "",
    namespace: "",
    name: "tok_1",
  } as const;
  await expect(authorize({ isAllowed: () => false }, subject, named, silentLogger)).rejects.toThrow(
    'user "alice" may not delete tokens "tok_1" in API group "fleet.flotilla.dev"',
  );
});
