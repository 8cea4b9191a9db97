// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from "node:crypto";
import { connect, type DetailedPeerCertificate } from "node:tls";
import { FlotillaError } from "../../base/error.ts";
import { fromNetworkError } from "../client/network-error.ts";

/** The certificate chain of a server. */
export interface PeerChain {
  /** True if the chain is valid for this name by the system's CAs. */
  readonly isTrusted: boolean;
  /** Leaf first; may be incomplete. */
  readonly chain: readonly X509Certificate[];
}

/** Bound of the chain: a server may send any number; real chains are shorter. */
const maxChainLength = 10;

/** 10 s: an interactive user is waiting. */
const timeoutMs = 10_000;

/**
 * Reads a server's certificates without trusting them. Sends nothing beyond the handshake. Rejects with UNAVAILABLE.
 */
export function loadPeerChain(url: string): Promise<PeerChain> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: port === "" ? 443 : Number(port),
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      ALPNProtocols: ["h2"],
      rejectUnauthorized: false, // only the chain is read; data is sent later, over a verified connection
      timeout: timeoutMs,
    });
    socket.once("secureConnect", () => {
      resolve({ isTrusted: socket.authorized, chain: chainOf(socket.getPeerCertificate(true)) });
      socket.destroy();
    });
    socket.once("timeout", () => socket.destroy(new FlotillaError("UNAVAILABLE", `${url} does not answer`)));
    socket.once("error", (reason) => {
      const unreachable = new FlotillaError("UNAVAILABLE", `${url} cannot be reached`, { cause: reason });
      reject(reason instanceof FlotillaError ? reason : (fromNetworkError(reason, url) ?? unreachable));
    });
  });
}

function chainOf(leaf: DetailedPeerCertificate): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: DetailedPeerCertificate | undefined = leaf;
  while (next !== undefined && chain.length < maxChainLength) {
    chain.push(new X509Certificate(next.raw));
    const issuer: DetailedPeerCertificate | undefined = next.issuerCertificate;
    next = issuer === next ? undefined : issuer;
  }
  return chain;
}

/**
 * `sha256:` and the hash of the certificate in lower case hex, as `openssl x509 -fingerprint -sha256` prints it,
 * without colons.
 */
export function fingerprintOf({ fingerprint256 }: X509Certificate): string {
  return `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}`;
}
