// SPDX-License-Identifier: Apache-2.0
import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createServerCertificate } from "./certificate.ts";
import { parseServerName } from "./san.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const issuer = { commonName: "Test CA", privateKey };
const validity = { notBeforeMs: Date.UTC(2026, 0, 1), notAfterMs: Date.UTC(2027, 0, 1) };

test("[RP13] every name and address that is accepted is found again in the certificate by Node's own reader", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()), (text) => {
      const name = parseServerName(text);
      const pem = createServerCertificate(issuer, { names: [name], publicKey: createPublicKey(privateKey), validity });
      const leaf = new X509Certificate(pem);
      expect(isIP(text) === 0 ? leaf.checkHost(text) : leaf.checkIP(text)).toBeDefined();
    }),
    { numRuns: 100 },
  );
});

test("[RP13] any other text is refused by name", () => {
  for (const text of [
    "",
    "a b",
    "-a",
    "a..b",
    "https://a",
    "a:443",
    "fe80::1%eth0",
    "ä.example",
    "x".repeat(254),
    "a\0b",
  ]) {
    expect(() => parseServerName(text)).toThrow("is neither a host name nor an IP address");
  }
});
