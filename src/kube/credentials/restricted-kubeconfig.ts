// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ClusterAccess, Material } from "./cluster-access.ts";
import { nearReasonOfHost } from "./near-address.ts";
import { type Kubeconfig, parseKubeconfig, resolveContext } from "./parse-kubeconfig.ts";

/** 256 KiB: one cluster with certificates takes about 8 KiB. */
const sentBoundBytes = 256 * 1024;

/**
 * Reads a kubeconfig that somebody sent, rather than the operator named by a flag (KU7). `origin` is what messages call it. Throws CONFIG_INVALID, or
 * TOO_LARGE; what its contexts may not hold is said by `resolveRestrictedContext`.
 */
export async function parseRestrictedKubeconfig(origin: string, text: string): Promise<Kubeconfig> {
  if (Buffer.byteLength(text) > sentBoundBytes) {
    throw new FlotillaError(
      "TOO_LARGE",
      `the kubeconfig ${origin} has more than the ${sentBoundBytes} bytes that are taken of one`,
    );
  }
  return await parseKubeconfig([{ path: origin, text }]);
}

/**
 * The access of a context of a kubeconfig that somebody sent: inline credentials over verified TLS to an address elsewhere. Everything else
 * is refused by name, all of it in one CONFIG_INVALID. The connection checks the address again when it dials, since a name can come to mean another one.
 * `allowsLoopback` lets a target through that is loopback by its own text, and that one alone: a name elsewhere that leads here is still not dialled.
 */
export function resolveRestrictedContext(
  config: Kubeconfig,
  name?: string,
  { allowsLoopback = false }: { readonly allowsLoopback?: boolean } = {},
): ClusterAccess {
  const access = resolveContext(config, name);
  const isAllowedLoopback = allowsLoopback && nearReasonOfHost(access.server.hostname) === "loopback";
  const refusals = refusalsOf(access, isAllowedLoopback);
  if (refusals.length > 0) {
    const sentence = `the context ${JSON.stringify(access.name)} of a kubeconfig that was sent may not have ${refusals.join(", nor ")}`;
    const isNear = nearReasonOfHost(access.server.hostname) === "loopback" && !isAllowedLoopback;
    const advice = isNear
      ? "where the cluster runs on the hub's own machine, as those of kind and k3d do, start the hub with --allow-loopback-imports"
      : "send inline credentials, or name the file with --kubeconfig on the hub";
    throw new FlotillaError("CONFIG_INVALID", `${sentence}; ${advice}`);
  }
  return { ...access, isRestricted: !isAllowedLoopback };
}

function refusalsOf(
  { server, proxyUrl, insecureSkipTlsVerify, certificateAuthority, user }: ClusterAccess,
  isAllowedLoopback: boolean,
): string[] {
  const isFile = (material: Material | undefined): boolean =>
    material !== undefined && (material.kind === "file" || material.besidePath !== undefined);
  const checks: readonly (readonly [boolean, string])[] = [
    [user.exec !== undefined, "an exec plugin (exec)"],
    [user.tokenFile !== undefined, "a token file (tokenFile)"],
    [isFile(user.clientCertificate?.certificate), "a file (client-certificate)"],
    [isFile(user.clientCertificate?.key), "a file (client-key)"],
    [isFile(certificateAuthority), "a file (certificate-authority)"],
    [proxyUrl !== undefined, "a proxy (proxy-url)"],
    [insecureSkipTlsVerify, "unverified TLS (insecure-skip-tls-verify)"],
    [server.protocol !== "https:", "a server without TLS (server)"],
  ];
  const refusals = checks.filter(([isRefused]) => isRefused).map(([, what]) => what);
  const near = isAllowedLoopback ? undefined : nearReasonOfHost(server.hostname);
  return near === undefined ? refusals : [...refusals, `a ${near} address as its target (server)`];
}
