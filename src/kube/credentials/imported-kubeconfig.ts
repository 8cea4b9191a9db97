// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ClusterAccess, Material } from "./cluster-access.ts";
import { nearReasonOfHost } from "./local-address.ts";
import { type Kubeconfig, parseKubeconfig, resolveContext } from "./parse-kubeconfig.ts";

/** 256 KiB: one cluster with certificates takes about 8 KiB. */
const importBoundBytes = 256 * 1024;

/**
 * Parses an imported kubeconfig, as opposed to one that the operator named by a flag (KU7). `origin` is its name in
 * messages. Throws CONFIG_INVALID or TOO_LARGE. `resolveImportedContext` checks what its contexts may hold.
 */
export async function parseImportedKubeconfig(origin: string, text: string): Promise<Kubeconfig> {
  if (Buffer.byteLength(text) > importBoundBytes) {
    throw new FlotillaError(
      "TOO_LARGE",
      `the kubeconfig ${origin} is larger than the limit of ${importBoundBytes} bytes`,
    );
  }
  return await parseKubeconfig([{ path: origin, text }]);
}

/**
 * The access of a context of an imported kubeconfig: inline credentials over verified TLS to an address elsewhere.
 * Everything else is refused by name, in one CONFIG_INVALID. The connection checks the address again when it dials,
 * since a name can resolve differently later. `allowsLoopback` permits a target whose own text is loopback. A name
 * elsewhere that resolves to loopback is still not dialled.
 */
export function resolveImportedContext(
  config: Kubeconfig,
  name?: string,
  { allowsLoopback = false }: { readonly allowsLoopback?: boolean } = {},
): ClusterAccess {
  const access = resolveContext(config, name);
  const isAllowedLoopback = allowsLoopback && nearReasonOfHost(access.server.hostname) === "loopback";
  const refusals = refusalsOf(access, isAllowedLoopback);
  if (refusals.length > 0) {
    const sentence = `the context ${JSON.stringify(access.name)} of an imported kubeconfig may not have ${refusals.join(", nor ")}`;
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
