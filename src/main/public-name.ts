// SPDX-License-Identifier: Apache-2.0
// How a hub is reached by others, from its options and its certificate (IN10, IN11).
import { readFileSync } from "node:fs";
import { FlotillaError } from "../base/error.ts";
import type { HubTrust, PublicName } from "../hub/joining/public-name.ts";
import { isLoopbackHost } from "../rpc/listen.ts";
import type { CertificateSource } from "../rpc/tls/certificate-source.ts";
import { authorityOf, certificatesOf, isPubliclyTrusted, publicKeySha256 } from "../rpc/tls/public-trust.ts";

/** The options that name a hub. */
export interface HubNames {
  readonly publicUrl: string | undefined;
  readonly hosts: readonly string[];
  readonly address: string;
}

/** Every name that the hub answers to and that its own certificate holds, beside those of its own machine. */
export function hubHosts({ publicUrl, hosts, address }: HubNames): readonly string[] {
  const own = isAnyAddress(address) ? [] : [address];
  return [...(publicUrl === undefined ? [] : [hostOf(new URL(publicUrl))]), ...hosts, ...own];
}

/** The URL by which others reach the hub; undefined where every name of it is that of its own machine. */
export function findPublicUrl(names: HubNames, port: number): string | undefined {
  if (names.publicUrl !== undefined) return new URL(names.publicUrl).origin;
  const host = hubHosts(names).find((name) => !isLoopbackHost(name));
  return host === undefined ? undefined : `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The public name, for manifests. Throws CONFIG_INVALID with what to set where there is none, or where agents could not trust its certificate. */
export function findPublicName(names: HubNames, port: number, certificate: CertificateSource): PublicName {
  const url = findPublicUrl(names, port);
  if (url === undefined) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `this hub is reached as ${names.address} only, which is its own machine, so no cluster can join it; start it with --address 0.0.0.0 --public-url https://HOST:${port}`,
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

/** Addresses that stand for all interfaces: nobody is reached by such a name. */
function isAnyAddress(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}
