// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { requestWith } from "../testing/credential-request.ts";
import { authenticate, bearerCredential, type CredentialReader, type TokenVerifier } from "./authenticate.ts";

const withBearer = (value: string | undefined) => requestWith(value === undefined ? {} : { authorization: value });
const read = (value: string | undefined): string | undefined => bearerCredential(withBearer(value));

test("[RP27] the bearer header is read in any case of its scheme, and only as a token", () => {
  expect(read("Bearer abc.DEF-_~+/=")).toBe("abc.DEF-_~+/=");
  expect(read("bearer abc")).toBe("abc");
  expect(read(undefined)).toBeUndefined();
  for (const value of [
    "Basic abc",
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "Bearer a,b",
    "abc",
    `Bearer ${"a".repeat(5_000)}`,
  ]) {
    expect([value, read(value)]).toEqual([value, ""]);
  }
});

test("[RP27] a header that holds no token never reaches the verifier", async () => {
  const verifier: TokenVerifier = {
    verify() {
      throw new Error("not to be called");
    },
  };
  for (const value of [undefined, "Basic abc"]) {
    const refused = authenticate(withBearer(value), { verifier, credentials: [bearerCredential] }, silentLogger);
    await expect(refused).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  }
});

test("[RP27] readers are asked in order and the first credential decides, even if it does not count", async () => {
  const asked: string[] = [];
  const verifier: TokenVerifier = {
    verify(token) {
      asked.push(token);
      return { kind: "refused", reason: "unknown" };
    },
  };
  const cookie: CredentialReader = (request) => request.header("cookie");
  const both = requestWith({ cookie: "from-cookie", authorization: "Bearer from-header" });
  const refused = authenticate(both, { verifier, credentials: [bearerCredential, cookie] }, silentLogger);
  await expect(refused).rejects.toMatchObject({
    code: "UNAUTHENTICATED",
    message: expect.stringContaining("the token is not one of this hub") as unknown,
  });
  expect(asked).toEqual(["from-header"]);
});

test("[RP27] a token that ended between its check and its use is refused", async () => {
  const verifier: TokenVerifier = {
    verify: () => ({ kind: "verified", tokenId: "t", subject: { user: "u", groups: [] }, ended: AbortSignal.abort() }),
  };
  const refused = authenticate(withBearer("Bearer t"), { verifier, credentials: [bearerCredential] }, silentLogger);
  await expect(refused).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
});
