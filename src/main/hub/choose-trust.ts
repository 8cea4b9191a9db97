// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { fingerprintOf, type PeerChain } from "../../rpc/tls/peer-chain.ts";

/**
 * The CA to trust for a hub, given its certificate chain: undefined for the system's CAs, else the PEM of the
 * certificate with the given fingerprint. Throws CERTIFICATE_INVALID with the fingerprint to compare if none matches: a
 * certificate is never trusted before the user has confirmed it (IN23).
 */
export function chooseTrust(url: string, { isTrusted, chain }: PeerChain, pin: string | undefined): string | undefined {
  const shown = chain.at(-1);
  if (pin !== undefined) {
    const found = chain.find((certificate) => fingerprintOf(certificate) === pin);
    if (found !== undefined) return found.toString();
    const instead = shown === undefined ? "no certificate" : fingerprintOf(shown);
    throw new FlotillaError(
      "CERTIFICATE_INVALID",
      `${url} does not present the certificate of --pin; it presents ${instead}`,
    );
  }
  if (isTrusted) return undefined;
  const fingerprint = shown === undefined ? "" : fingerprintOf(shown);
  throw new FlotillaError(
    "CERTIFICATE_INVALID",
    `this machine does not trust the certificate of ${url}; its authority has the fingerprint ${fingerprint}. Compare it with that of the hub's tls/ca.crt (openssl x509 -noout -fingerprint -sha256 -in FILE), then run: flotilla login ${url} --pin ${fingerprint}`,
  );
}
