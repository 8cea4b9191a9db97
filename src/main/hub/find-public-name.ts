// SPDX-License-Identifier: Apache-2.0
// The hub's public name, from its options and its certificate (IN10, IN11).
import { readFileSync } from "node:fs";
import { FlotillaError } from "../../base/error.ts";
import type { HubTrust, PublicName } from "../../hub/joining/public-name.ts";
import { isLoopbackHost } from "../../rpc/listener/listen.ts";
import type { CertificateSource } from "../../rpc/tls/certificate-source.ts";
import { authorityOf, certificatesOf, isPubliclyTrusted, publicKeySha256 } from "../../rpc/tls/public-trust.ts";

/** The options that name a hub. */
export interface HubNames {
  readonly publicUrl: string | undefined;
  readonly hosts: readonly string[];
  readonly address: string;
}

/** Every host name that the hub accepts and its own certificate contains, besides the loopback names. */
export function hubHosts({ publicUrl, hosts, address }: HubNames): readonly string[] {
  const own = isAnyAddress(address) ? [] : [address];
  return [...(publicUrl === undefined ? [] : [hostOf(new URL(publicUrl))]), ...hosts, ...own];
}

/** The URL at which others reach the hub; undefined if all its names are loopback. */
export function findPublicUrl(names: HubNames, port: number): string | undefined {
  if (names.publicUrl !== undefined) return new URL(names.publicUrl).origin;
  const host = hubHosts(names).find((name) => !isLoopbackHost(name));
  return host === undefined ? undefined : `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/**
 * The public name, for manifests. Throws CONFIG_INVALID with the option to set if there is none, or if agents could not
 * trust the certificate.
 */
export function findPublicName(names: HubNames, port: number, certificate: CertificateSource): PublicName {
  const url = findPublicUrl(names, port);
  if (url === undefined) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `this hub listens on ${names.address} only, which other machines cannot reach, so no cluster can join it; start it with --address 0.0.0.0 --public-url https://HOST:${port}`,
    );
  }
  return { url, trust: trustOf(certificate), isLoopback: isLoopbackHost(hostOf(new URL(url))) };
}

function trustOf({ caFile, current }: CertificateSource): HubTrust {
  const keySha256 = publicKeySha256(current.leaf);
  if (caFile !== undefined) return { kind: "pinned", ca: readFileSync(caFile, "utf8"), keySha256 };
  const chain = certificatesOf(current.certificatePem);
  if (isPubliclyTrusted(chain)) return { kind: "public" };
  const ca = authorityOf(chain);
  if (ca !== undefined) return { kind: "pinned", ca, keySha256 };
  throw new FlotillaError(
    "CONFIG_INVALID",
    "agents would not trust the hub's certificate: its authority is not a public one and not in --tls-cert-file; add the authority's certificate at the end of that file",
  );
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Addresses that mean all interfaces; a client cannot connect to them. */
function isAnyAddress(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}
