// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { fakeCall } from "../testing/fake-hub.ts";
import { revokeToken } from "./token-revoke.ts";

test("a revoked token is named", async () => {
  const { call, stdout } = fakeCall({ revokeToken: ({ id }) => ({ revoked: id === "tok_1" }) });
  await revokeToken(call, "tok_1");
  expect(stdout()).toBe("token tok_1 is revoked\n");
});

test("an id that the hub does not know is a failure, not a success", async () => {
  const { call, stdout } = fakeCall({ revokeToken: () => ({ revoked: false }) });
  await expect(revokeToken(call, "tok_2")).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: "there is no token tok_2",
  });
  expect(stdout()).toBe("");
});
