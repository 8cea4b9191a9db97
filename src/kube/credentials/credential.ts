// SPDX-License-Identifier: Apache-2.0
import { KubeError } from "../kube-error.ts";

/** PEM text of a certificate and of its key, as TLS shows it. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** What a request shows. */
export interface Credential {
  /** The header's value; undefined for none. */
  readonly authorization: string | undefined;
  /** Shown when a connection is made, so another certificate needs another connection. */
  readonly clientCertificate: ClientCertificate | undefined;
}

/** Where the credential of one user comes from. */
export interface CredentialSource {
  /** The credential to show now. Rejects with a KubeError `unauthorized` where there is none, or with the signal's reason. */
  load(signal: AbortSignal): Promise<Credential>;
  /** The server answered this one with 401: the next `load` asks anew, where there is somebody to ask. */
  refuse(credential: Credential): void;
  /** Ends what runs. */
  close(): void;
}

/** The texts in a credential that no message may show (KU9). */
export function secretsOf(credential: Credential): string[] {
  const { authorization, clientCertificate } = credential;
  const secrets = clientCertificate === undefined ? [] : [clientCertificate.key];
  if (authorization === undefined) return secrets;
  return [...secrets, authorization.slice(authorization.indexOf(" ") + 1)];
}

/** True where both show the same to a server. */
export function isSameCredential(a: Credential, b: Credential): boolean {
  return a.authorization === b.authorization && isSameCertificate(a.clientCertificate, b.clientCertificate);
}

/** True where both are the same certificate with the same key, or none. */
export function isSameCertificate(a: ClientCertificate | undefined, b: ClientCertificate | undefined): boolean {
  return a?.certificate === b?.certificate && a?.key === b?.key;
}

/** A header may hold visible ASCII and inner spaces; a token is that without spaces. */
const tokenText = /^[\x21-\x7e]+$/;

/** The header for a token, or a KubeError if it has characters that no token has: a line break would otherwise become a header of its own. */
export function bearerOf(token: string, from: string): string {
  if (!tokenText.test(token)) {
    throw new KubeError(
      "unauthorized",
      `${from} is no token: it has spaces, line breaks or characters that are not ASCII`,
    );
  }
  return `Bearer ${token}`;
}
