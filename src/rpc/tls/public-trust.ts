// SPDX-License-Identifier: Apache-2.0
// Whom clients have to trust for a server's certificate.
import { createHash, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";

/** The hash of a certificate's public key in base64: what curl's `--pinnedpubkey sha256//` takes (RFC 7469 section 2.4). */
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

/** True where the last certificate of a chain comes from, or is, one of the roots that Node brings, which are Mozilla's. */
export function isPubliclyTrusted(chain: readonly X509Certificate[]): boolean {
  const last = chain.at(-1);
  if (last === undefined) return false;
  return rootCertificates.some((pem) => {
    const root = new X509Certificate(pem);
    return last.checkIssued(root) && last.verify(root.publicKey);
  });
}

/** The authority at the end of a chain, in PEM; undefined where the chain ends before it. */
export function authorityOf(chain: readonly X509Certificate[]): string | undefined {
  const last = chain.at(-1);
  return last?.checkIssued(last) === true ? last.toString() : undefined;
}
