// SPDX-License-Identifier: Apache-2.0
import { KubeError } from "../kube-error.ts";

/** PEM text of a client certificate and its key. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The credential that requests are sent with. */
export interface Credential {
  /** The value of the Authorization header; undefined for none. */
  readonly authorization: string | undefined;
  /** Presented when a connection is opened, so another certificate needs another connection. */
  readonly clientCertificate: ClientCertificate | undefined;
}

/** The source of one user's credential. */
export interface CredentialSource {
  /** The current credential. Rejects with a KubeError `unauthorized` if there is none, or with the signal's reason. */
  load(signal: AbortSignal): Promise<Credential>;
  /**
   * Reports that the server answered this credential with 401: the next `load` fetches a new one, if the source can.
   */
  refuse(credential: Credential): void;
  /** Stops running programs. */
  close(): void;
}

/** The texts of a credential that no message may show (KU9). */
export function secretsOf(credential: Credential): string[] {
  const { authorization, clientCertificate } = credential;
  const secrets = clientCertificate === undefined ? [] : [clientCertificate.key];
  if (authorization === undefined) return secrets;
  return [...secrets, authorization.slice(authorization.indexOf(" ") + 1)];
}

/** True if both are identical to a server. */
export function isSameCredential(a: Credential, b: Credential): boolean {
  return a.authorization === b.authorization && isSameCertificate(a.clientCertificate, b.clientCertificate);
}

/** True if both are the same certificate with the same key, or both are absent. */
export function isSameCertificate(a: ClientCertificate | undefined, b: ClientCertificate | undefined): boolean {
  return a?.certificate === b?.certificate && a?.key === b?.key;
}

/** A header value may contain visible ASCII and inner spaces; a token has no spaces. */
const tokenText = /^[\x21-\x7e]+$/;

/**
 * The header value for a token. Throws a KubeError for characters that a token cannot contain: a line break would
 * otherwise inject a header.
 */
export function bearerOf(token: string, from: string): string {
  if (!tokenText.test(token)) {
    throw new KubeError(
      "unauthorized",
      `${from} is not a token: it has spaces, line breaks or characters that are not ASCII`,
    );
  }
  return `Bearer ${token}`;
}
