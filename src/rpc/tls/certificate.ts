// SPDX-License-Identifier: Apache-2.0
// X.509 v3 certificates for ECDSA P-256 keys (RFC 5280): CA certificates and server certificates.
import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import { assert } from "../../base/assert.ts";
import {
  bitString,
  type Der,
  derTrue,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from "./der.ts";
import { subjectAltNames } from "./san.ts";

const oid = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

/** Validity period of a certificate, by wall clock. */
export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** The name and private key of the issuer. */
export interface Issuer {
  readonly commonName: string;
  readonly privateKey: KeyObject;
}

/** A self-signed CA certificate that can sign only leaf certificates (path length 0). PEM text. */
export function createCaCertificate(issuer: Issuer, validity: Validity): string {
  const publicKey = createPublicKey(issuer.privateKey);
  return createCertificate({
    issuer,
    subject: issuer.commonName,
    publicKey,
    validity,
    extensions: [
      extension(oid.basicConstraints, sequence(derTrue, integer(Uint8Array.of(0))), "critical"),
      // keyCertSign and cRLSign: bits 5 and 6.
      extension(oid.keyUsage, bitString(Uint8Array.of(0b0000_0110), 1), "critical"),
      extension(oid.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
    ],
  });
}

/** A server certificate for `names` (DNS names and IP addresses). PEM text. */
export function createServerCertificate(
  issuer: Issuer,
  options: { readonly names: readonly string[]; readonly publicKey: KeyObject; readonly validity: Validity },
): string {
  const [commonName = "flotilla"] = options.names;
  return createCertificate({
    issuer,
    subject: commonName,
    publicKey: options.publicKey,
    validity: options.validity,
    extensions: [
      extension(oid.basicConstraints, sequence(), "critical"),
      // digitalSignature: bit 0.
      extension(oid.keyUsage, bitString(Uint8Array.of(0b1000_0000), 7), "critical"),
      extension(oid.extendedKeyUsage, sequence(objectIdentifier(oid.serverAuth))),
      extension(oid.subjectAltName, subjectAltNames(options.names)),
      extension(oid.subjectKeyIdentifier, octetString(keyIdentifier(options.publicKey))),
      extension(oid.authorityKeyIdentifier, sequence(implicit(0, keyIdentifier(createPublicKey(issuer.privateKey))))),
    ],
  });
}

interface CertificateParts {
  readonly issuer: Issuer;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly validity: Validity;
  readonly extensions: readonly Der[];
}

function createCertificate({ issuer, subject, publicKey, validity, extensions }: CertificateParts): string {
  assert(issuer.privateKey.asymmetricKeyDetails?.namedCurve === "prime256v1", "certificates are signed with P-256");
  const algorithm = sequence(objectIdentifier(oid.ecdsaWithSha256));
  const version3 = explicit(0, integer(Uint8Array.of(2)));
  const toBeSigned = sequence(
    version3,
    integer(serialNumber(publicKey, validity)),
    algorithm,
    nameOf(issuer.commonName),
    sequence(time(validity.notBeforeMs), time(validity.notAfterMs)),
    nameOf(subject),
    spkiOf(publicKey),
    explicit(3, sequence(...extensions)),
  );
  const signature = sign("sha256", toBeSigned, issuer.privateKey);
  return toPem(sequence(toBeSigned, algorithm, bitString(signature)));
}

function extension(id: string, value: Der, critical?: "critical"): Der {
  const flag = critical === undefined ? [] : [derTrue];
  return sequence(objectIdentifier(id), ...flag, octetString(value));
}

function nameOf(commonName: string): Der {
  return sequence(setOf(sequence(objectIdentifier(oid.commonName), utf8String(commonName))));
}

function spkiOf(publicKey: KeyObject): Uint8Array {
  return publicKey.export({ type: "spki", format: "der" });
}

/** Key identifier of 160 bits: SHA-256 over the uncompressed point, truncated (RFC 7093 section 2, method 1). */
export function keyIdentifier(publicKey: KeyObject): Uint8Array {
  const pointBytes = 65; // 0x04 and two coordinates of 32 bytes, at the end of a P-256 SubjectPublicKeyInfo
  return createHash("sha256").update(spkiOf(publicKey).subarray(-pointBytes)).digest().subarray(0, 20);
}

/** 127 bits that differ per key and start of validity. The key is random, so no further randomness is needed. */
function serialNumber(publicKey: KeyObject, { notBeforeMs }: Validity): Uint8Array {
  const digest = createHash("sha256").update(spkiOf(publicKey)).update(String(notBeforeMs)).digest().subarray(0, 16);
  digest[0] = ((digest[0] ?? 0) & 0x7f) | 0x40; // positive, and never a leading zero
  return digest;
}

function toPem(der: Der): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
