// SPDX-License-Identifier: Apache-2.0
// The authority that clients need to trust for a server's certificate.
import { createHash, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";

/** The hash of a certificate's public key in base64, for curl's `--pinnedpubkey sha256//` (RFC 7469 section 2.4). */
export function publicKeySha256({ publicKey }: X509Certificate): string {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64");
}

/** The certificates of a PEM text, in order. */
export function certificatesOf(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/** True if the last certificate of a chain is, or is issued by, one of Node's bundled roots (Mozilla's). */
export function isPubliclyTrusted(chain: readonly X509Certificate[]): boolean {
  const last = chain.at(-1);
  if (last === undefined) return false;
  return rootCertificates.some((pem) => {
    const root = new X509Certificate(pem);
    return last.checkIssued(root) && last.verify(root.publicKey);
  });
}

/** The self-signed certificate at the end of a chain, in PEM; undefined if the chain does not include it. */
export function authorityOf(chain: readonly X509Certificate[]): string | undefined {
  const last = chain.at(-1);
  return last?.checkIssued(last) === true ? last.toString() : undefined;
}
