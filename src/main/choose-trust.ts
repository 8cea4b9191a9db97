// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { fingerprintOf, type PeerChain } from "../rpc/tls/peer-chain.ts";

/**
 * The authority to trust for a hub whose certificates were just shown: undefined for the system's; else, in PEM, the one whose fingerprint was given. Throws CERTIFICATE_INVALID where none fits, with
 * the fingerprint to compare: nothing is trusted that was not shown first (IN23).
 */
export function chooseTrust(url: string, { isTrusted, chain }: PeerChain, pin: string | undefined): string | undefined {
  const shown = chain.at(-1);
  if (pin !== undefined) {
    const found = chain.find((certificate) => fingerprintOf(certificate) === pin);
    if (found !== undefined) return found.toString();
    const instead = shown === undefined ? "no certificate" : fingerprintOf(shown);
    throw new FlotillaError(
      "CERTIFICATE_INVALID",
      `${url} does not show the certificate of --pin; it shows ${instead}`,
    );
  }
  if (isTrusted) return undefined;
  const fingerprint = shown === undefined ? "" : fingerprintOf(shown);
  throw new FlotillaError(
    "CERTIFICATE_INVALID",
    `this machine does not trust the certificate of ${url}; its authority has the fingerprint ${fingerprint}. Compare it with that of the hub's tls/ca.crt (openssl x509 -noout -fingerprint -sha256 -in FILE), then run: flotilla login ${url} --pin ${fingerprint}`,
  );
}
