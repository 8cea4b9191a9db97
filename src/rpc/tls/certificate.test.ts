// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openScratchFolder } from "../testing/scratch.ts";
import { createCaCertificate, createServerCertificate } from "./certificate.ts";

const validity = { notBeforeMs: Date.UTC(2026, 0, 1), notAfterMs: Date.UTC(2036, 0, 1) };

function makePair(): { ca: string; leaf: string } {
  const issuer = { commonName: "Test CA", privateKey: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey };
  const leafKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const names = ["hub.example", "*.hub.example", "127.0.0.1", "::1", "2001:db8::7:0:1"];
  return {
    ca: createCaCertificate(issuer, validity),
    leaf: createServerCertificate(issuer, { names, publicKey: createPublicKey(leafKey), validity }),
  };
}

test("[RP12] a CA certificate is one: self-signed, marked as CA, valid as asked", () => {
  const ca = new X509Certificate(makePair().ca);
  expect(ca.ca).toBe(true);
  expect(ca.checkIssued(ca)).toBe(true);
  expect(ca.verify(ca.publicKey)).toBe(true);
  expect(ca.subject).toBe("CN=Test CA");
  expect(ca.validFromDate.getTime()).toBe(validity.notBeforeMs);
  expect(ca.validToDate.getTime()).toBe(validity.notAfterMs);
});

test("[RP13] a leaf is issued and signed by its CA, is no CA, and holds names and addresses", () => {
  const { ca: caPem, leaf: leafPem } = makePair();
  const ca = new X509Certificate(caPem);
  const leaf = new X509Certificate(leafPem);
  expect(leaf.ca).toBe(false);
  expect(leaf.checkIssued(ca)).toBe(true);
  expect(leaf.verify(ca.publicKey)).toBe(true);
  expect(leaf.verify(new X509Certificate(makePair().ca).publicKey)).toBe(false);
  expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  for (const name of ["hub.example", "a.hub.example"]) expect(leaf.checkHost(name)).toBeDefined();
  for (const address of ["127.0.0.1", "::1", "2001:db8::7:0:1"]) expect(leaf.checkIP(address)).toBeDefined();
  expect(leaf.checkHost("evil.example")).toBeUndefined();
  expect(leaf.checkIP("127.0.0.2")).toBeUndefined();
  expect(leaf.serialNumber).not.toBe(ca.serialNumber);
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

test.runIf(hasOpenssl)("[RP13] openssl accepts the chain in strict mode for a TLS server of that name", async () => {
  await using scratch = await openScratchFolder();
  const { ca, leaf } = makePair();
  await writeFile(scratch.file("ca.crt"), ca);
  await writeFile(scratch.file("leaf.crt"), leaf);
  const verify = (...extra: string[]): string => {
    const args = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", scratch.file("ca.crt"), ...extra];
    return spawnSync("openssl", [...args, scratch.file("leaf.crt")], { encoding: "utf8" }).stdout;
  };
  expect(verify("-verify_hostname", "hub.example")).toMatch(/: OK$/m);
  expect(verify("-verify_ip", "2001:db8::7:0:1")).toMatch(/: OK$/m);
  expect(verify("-verify_hostname", "evil.example")).not.toMatch(/: OK$/m);
});
