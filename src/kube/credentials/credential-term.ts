// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from "node:crypto";
import { isObject } from "../../kinds/fields.ts";
import type { Credential } from "./credential.ts";

/** The end of a credential's validity, by the wall clock of its issuer. */
export interface KubeCredentialTerm {
  readonly endsAtMs: number;
  /** From start to end of the validity; 0 if the start is not known. */
  readonly lifetimeMs: number;
}

/** The validity of certificate or token, whichever ends first. Undefined if neither has a known end. */
export function termOf({ authorization, clientCertificate }: Credential): KubeCredentialTerm | undefined {
  const terms = [
    clientCertificate === undefined ? undefined : certificateTerm(clientCertificate.certificate),
    authorization === undefined ? undefined : tokenTerm(authorization),
  ].filter((term) => term !== undefined);
  return terms.sort((a, b) => a.endsAtMs - b.endsAtMs)[0];
}

/**
 * Validity of the first certificate in the text, the one that TLS presents. An unreadable one has no known end: the
 * connection fails because of it and reports that.
 */
function certificateTerm(pem: string): KubeCredentialTerm | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch (reason) {
    if (reason instanceof Error) return undefined;
    throw reason;
  }
  return toTerm(certificate.validFromDate.getTime(), certificate.validToDate.getTime());
}

/**
 * Validity of a JWT (RFC 7519) by its claims `exp` and `iat`. The signature is not verified here. Other tokens have no
 * known end.
 */
function tokenTerm(authorization: string): KubeCredentialTerm | undefined {
  const [, payload, signature] = /^Bearer (.*)$/s.exec(authorization)?.[1]?.split(".", 4) ?? [];
  if (payload === undefined || signature === undefined) return undefined;
  const claims = parseJson(Buffer.from(payload, "base64url").toString("utf8"));
  if (!isObject(claims)) return undefined;
  const claim = (name: string): number | undefined => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return typeof value === "number" ? value * 1_000 : undefined;
  };
  const endsAtMs = claim("exp");
  return endsAtMs === undefined ? undefined : toTerm(claim("iat") ?? Number.NaN, endsAtMs);
}

/** The latest time that a Date holds (ECMA-262). A later end counts as none. */
const lastMomentMs = 8.64e15;

function toTerm(beganAtMs: number, endsAtMs: number): KubeCredentialTerm | undefined {
  if (!(Math.abs(endsAtMs) <= lastMomentMs)) return undefined;
  const lifetimeMs = endsAtMs - beganAtMs;
  return { endsAtMs, lifetimeMs: lifetimeMs > 0 && lifetimeMs <= lastMomentMs ? lifetimeMs : 0 };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined; // not a JWT
    throw reason;
  }
}
