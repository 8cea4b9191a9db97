// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { isSecretName, longestTextLength, maskSecretText, toSafeText } from "./redact.ts";

test.each([
  "token",
  "adminToken",
  "TOKEN",
  "x-auth-token",
  "clientSecret",
  "secret_value",
  "password",
  "dbPassword",
  "Authorization",
  "proxyAuthorization",
  "set-cookie",
  "privateKey",
  "TLSPrivateKey",
  "tls_key",
  "apikey",
  "api-key",
  "encryptionKeys",
])("[L18] the field name %s is taken for a secret's", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each(["key", "keyId", "tokenId", "adminTokenFile", "secretCount", "resource", "author", "monkey", "cluster", ""])(
  "the field name %s is not taken for a secret's",
  (name) => {
    expect(isSecretName(name)).toBe(false);
  },
);

describe("text", () => {
  test("[L18] the password of a URL is masked; ports, addresses and other quoted text are not", () => {
    expect(maskSecretText('"https://ann:p@s,s@hub.example.com:7443" and http://:x@proxy')).toBe(
      '"https://ann:***@hub.example.com:7443" and http://:***@proxy',
    );
    const harmless = '{"url":"https://hub:7443","user":"ann@example.com"} http://[::1]:80/a:b@c';
    expect(maskSecretText(harmless)).toBe(harmless);
  });

  test("[L18] a token is masked wherever it stands, also twice and inside a URL", () => {
    expect(maskSecretText("first flt_Abc-1.2_z, then http://x/?t=flt_q9&u=1")).toBe(
      "first flt_***, then http://x/?t=flt_***&u=1",
    );
  });

  test("[L18] a bearer credential is masked and prose about bearers is not", () => {
    expect(maskSecretText("Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30")).toBe("Authorization: Bearer ***");
    expect(maskSecretText("no bearer was given")).toBe("no bearer was given");
  });

  test("[L18] a private key is masked, in plain text and in a line of JSON", () => {
    const key = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\nAbC=\n-----END EC PRIVATE KEY-----\n";
    expect(maskSecretText(key)).not.toContain("MHcC");
    const line = maskSecretText(JSON.stringify({ found: key, after: 1 }));
    expect(line).not.toContain("MHcC");
    expect(JSON.parse(line)).toMatchObject({ after: 1 });
    const cut = JSON.stringify({ found: `${key.slice(0, 40)}" said he`, after: 1 });
    expect(JSON.parse(maskSecretText(cut))).toMatchObject({ after: 1 });
  });

  test("long text is cut and says how long it was, and a token at the cut leaves nothing behind", () => {
    const text = `${"a".repeat(longestTextLength - 8)}flt_secretsecret${"b".repeat(100_000)}`;
    const safe = toSafeText(text);
    expect(safe.length).toBeLessThan(longestTextLength + 64);
    expect(safe).toContain(`(${text.length} characters)`);
    expect(safe).not.toContain("secret");
  });
});
