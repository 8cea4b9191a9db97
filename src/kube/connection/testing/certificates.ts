// SPDX-License-Identifier: Apache-2.0
// A CA for one test, and the certificates that it issues for servers and clients.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createCaCertificate, createServerCertificate, type Validity } from "../../../rpc/tls/certificate.ts";
import {
  bitString,
  explicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from "../../../rpc/tls/der.ts";

/** PEM text of a certificate and its key. */
export interface TestIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** A CA that only the test trusts. */
export interface TestAuthority {
  readonly ca: string;
  issueServer(names: readonly string[], validity?: Validity): TestIdentity;
  /** For a client that Kubernetes authenticates as this user with these groups. */
  issueClient(user: string, groups?: readonly string[]): TestIdentity;
}

const dayMs = 86_400_000;

function createKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

function keyText(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" });
}

/** Valid from yesterday to tomorrow, around `nowMs`. */
export function createTestAuthority(nowMs: number, commonName = "Flotilla test CA"): TestAuthority {
  const issuer = { commonName, privateKey: createKey() };
  const usual: Validity = { notBeforeMs: nowMs - dayMs, notAfterMs: nowMs + dayMs };
  return {
    ca: createCaCertificate(issuer, { notBeforeMs: nowMs - 10 * dayMs, notAfterMs: nowMs + 10 * dayMs }),
    issueServer(names, validity = usual) {
      const key = createKey();
      const publicKey = createPublicKey(key);
      return { certificate: createServerCertificate(issuer, { names, publicKey, validity }), key: keyText(key) };
    },
    issueClient(user, groups = []) {
      const key = createKey();
      return { certificate: clientCertificate(issuer, key, { user, groups, validity: usual }), key: keyText(key) };
    },
  };
}

/**
 * RFC 5280, with the extended key usage clientAuth; the groups are organizations of the subject, as Kubernetes reads
 * them.
 */
function clientCertificate(
  issuer: { readonly commonName: string; readonly privateKey: KeyObject },
  key: KeyObject,
  subject: { readonly user: string; readonly groups: readonly string[]; readonly validity: Validity },
): string {
  const attribute = (id: string, value: string) => setOf(sequence(objectIdentifier(id), utf8String(value)));
  const [commonName, organization] = ["2.5.4.3", "2.5.4.10"];
  const algorithm = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
  const { notBeforeMs, notAfterMs } = subject.validity;
  const usage = sequence(objectIdentifier("2.5.29.37"), octetString(sequence(objectIdentifier("1.3.6.1.5.5.7.3.2"))));
  const toBeSigned = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(Uint8Array.of(7)),
    algorithm,
    sequence(attribute(commonName, issuer.commonName)),
    sequence(time(notBeforeMs), time(notAfterMs)),
    sequence(...subject.groups.map((group) => attribute(organization, group)), attribute(commonName, subject.user)),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    explicit(3, sequence(usage)),
  );
  const der = sequence(toBeSigned, algorithm, bitString(sign("sha256", toBeSigned, issuer.privateKey)));
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE-----\n`;
}
