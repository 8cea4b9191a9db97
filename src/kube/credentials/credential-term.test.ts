// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createTestAuthority } from "../connection/testing/certificates.ts";
import { termOf } from "./credential-term.ts";

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 4, 1);

function bearer(claims: unknown): { readonly authorization: string; readonly clientCertificate: undefined } {
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return { authorization: `Bearer eyJhbGciOiJSUzI1NiJ9.${payload}.c2lnbmF0dXJl`, clientCertificate: undefined };
}

test("a JWT ends with its exp, and began with its iat", () => {
  expect(termOf(bearer({ exp: nowMs / 1_000 + 3_600, iat: nowMs / 1_000 }))).toEqual({
    endsAtMs: nowMs + 3_600_000,
    lifetimeMs: 3_600_000,
  });
  expect(termOf(bearer({ exp: nowMs / 1_000 }))).toEqual({ endsAtMs: nowMs, lifetimeMs: 0 });
});

test("a client certificate ends with its notAfter", () => {
  const { certificate, key } = createTestAuthority(nowMs).issueClient("agent");
  expect(termOf({ authorization: undefined, clientCertificate: { certificate, key } })).toEqual({
    endsAtMs: nowMs + dayMs,
    lifetimeMs: 2 * dayMs,
  });
});

test("of a certificate and a token the one that ends first counts", () => {
  const { certificate, key } = createTestAuthority(nowMs).issueClient("agent");
  const ends = (exp: number): number | undefined =>
    termOf({ ...bearer({ exp }), clientCertificate: { certificate, key } })?.endsAtMs;
  expect(ends(nowMs / 1_000 + 60)).toBe(nowMs + 60_000);
  expect(ends(nowMs / 1_000 + 10 * 86_400)).toBe(nowMs + dayMs);
});

test.each([
  ["an opaque token", "Bearer 0123456789abcdef"],
  ["two parts", "Bearer aa.bb"],
  ["no JSON", `Bearer a.${Buffer.from("{").toString("base64url")}.c`],
  ["no exp", bearer({ iat: 1 }).authorization],
  ["an exp that is text", bearer({ exp: "soon" }).authorization],
  ["an exp beyond all time", bearer({ exp: 1e300 }).authorization],
  ["claims that are a list", bearer([{ exp: 1 }]).authorization],
  ["a prototype's exp", bearer({ __proto__: { exp: 1 } }).authorization],
  ["a password", "Basic YTpi"],
])("%s has no known end", (_what, authorization) => {
  expect(termOf({ authorization, clientCertificate: undefined })).toBeUndefined();
});

test("a certificate that is none has no known end", () => {
  const clientCertificate = { certificate: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", key: "" };
  expect(termOf({ authorization: undefined, clientCertificate })).toBeUndefined();
});

test("no token makes more of it than an end that a Date holds", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (claims, text) => {
      for (const authorization of [bearer(claims).authorization, `Bearer ${text}`]) {
        const term = termOf({ authorization, clientCertificate: undefined });
        if (term === undefined) continue;
        expect(Number.isNaN(new Date(term.endsAtMs).getTime())).toBe(false);
        expect(term.lifetimeMs).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
