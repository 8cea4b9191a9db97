// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { FlotillaError } from "../../base/error.ts";

/** The identity of a TLS listener: a certificate chain, leaf first, and the leaf's private key, both PEM. */
export interface ServerIdentity {
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly leaf: X509Certificate;
}

/** PEM texts and their file names, for error messages. */
export interface PemPair {
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * Checks that a listener can use the pair at `wallMs`. Throws CERTIFICATE_INVALID with one sentence naming file and
 * problem.
 */
export function parseServerIdentity(pair: PemPair, wallMs: number): ServerIdentity {
  const { certificateFile, keyFile, certificatePem, keyPem } = pair;
  const leaf = parseCertificate(certificatePem, certificateFile);
  const key = parsePrivateKey(keyPem, keyFile);
  if (!leaf.checkPrivateKey(key)) {
    throw certificateInvalid(`${keyFile} is not the key of the certificate in ${certificateFile}`);
  }
  if (leaf.validToDate.getTime() <= wallMs) {
    throw certificateInvalid(`the certificate in ${certificateFile} expired at ${leaf.validToDate.toISOString()}`);
  }
  try {
    createSecureContext({ cert: certificatePem, key: keyPem });
  } catch (reason) {
    throw certificateInvalid(`${certificateFile} and ${keyFile} cannot be used for TLS`, reason);
  }
  return { certificatePem, keyPem, leaf };
}

/** The first certificate of a PEM text. */
export function parseCertificate(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (reason) {
    throw certificateInvalid(`${file} does not contain a PEM certificate`, reason);
  }
}

/** The private key of a PEM text. A key with a passphrase is refused, because the hub runs unattended. */
export function parsePrivateKey(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (reason) {
    throw certificateInvalid(`${file} does not contain a PEM private key without passphrase`, reason);
  }
}

/** A CERTIFICATE_INVALID with this sentence. */
export function certificateInvalid(sentence: string, cause?: unknown): FlotillaError {
  return new FlotillaError("CERTIFICATE_INVALID", sentence, cause === undefined ? {} : { cause });
}
