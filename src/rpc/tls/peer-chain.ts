// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from "node:crypto";
import { connect, type DetailedPeerCertificate } from "node:tls";
import { FlotillaError } from "../../base/error.ts";
import { fromNetworkError } from "../network-error.ts";

/** What a server showed of itself. */
export interface PeerChain {
  /** True where the system's authorities vouch for it under this name. */
  readonly isTrusted: boolean;
  /** Leaf first, as far as the server sent it. */
  readonly chain: readonly X509Certificate[];
}

/** Longer chains do not occur; a server may send any number. */
const maxChainLength = 10;

/** 10 s: a person waits. */
const timeoutMs = 10_000;

/** Asks a server for its certificates and believes nothing of them; nothing is sent to it. Rejects with UNAVAILABLE. */
export function loadPeerChain(url: string): Promise<PeerChain> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: port === "" ? 443 : Number(port),
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      ALPNProtocols: ["h2"],
      rejectUnauthorized: false, // it is looked at, and what is then sent goes over a connection that is checked
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

/** `sha256:` and the hash of the whole certificate in hex: what `openssl x509 -fingerprint -sha256` prints, without colons and in lower case. */
export function fingerprintOf({ fingerprint256 }: X509Certificate): string {
  return `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}`;
}
