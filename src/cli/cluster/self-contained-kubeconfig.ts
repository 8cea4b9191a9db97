// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ClusterAccess, Material, UserAccess } from "../../kube/credentials/cluster-access.ts";
import type { Kubeconfig } from "../../kube/credentials/parse-kubeconfig.ts";
import { loadMaterial, materialBoundBytes, readBounded } from "../../kube/credentials/read-bounded.ts";
import { quote } from "../../model/text.ts";

/**
 * Throws CONFIG_INVALID if the context's credential comes from a program: a hub runs no programs from imported
 * kubeconfigs (KU7).
 */
export function assertNoProgram({ contexts, users }: Kubeconfig, context: string): void {
  const user = users.get(contexts.get(context)?.value.user ?? "");
  const hasProvider = user?.mistakes.some(({ field }) => field === "auth-provider") === true;
  if (user?.value.exec === undefined && !hasProvider) return;
  const what = hasProvider ? "an auth provider (auth-provider)" : "an exec plugin (exec)";
  throw new FlotillaError(
    "CONFIG_INVALID",
    `context ${quote(context)} gets its credential from ${what}, which a hub does not run; give it a token or a client certificate, or run an agent in the cluster`,
  );
}

/**
 * A kubeconfig with one context and no file references, as JSON, which is valid YAML. If the files change later, import
 * again. Throws CONFIG_INVALID for a file that cannot be read.
 */
export async function toSelfContained(access: ClusterAccess): Promise<string> {
  const { name } = access;
  const cluster = {
    server: access.server.href,
    ...(access.tlsServerName === undefined ? {} : { "tls-server-name": access.tlsServerName }),
    ...(access.insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(access.proxyUrl === undefined ? {} : { "proxy-url": access.proxyUrl.href }),
    ...(access.disableCompression ? { "disable-compression": true } : {}),
    ...(await inline(name, "certificate-authority", access.certificateAuthority)),
  };
  const context = {
    cluster: name,
    user: name,
    ...(access.namespace === undefined ? {} : { namespace: access.namespace }),
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name, user: await toUser(name, access.user) }],
    contexts: [{ name, context }],
    "current-context": name,
  });
}

async function toUser(name: string, user: UserAccess): Promise<Record<string, unknown>> {
  const { clientCertificate, basicAuth, impersonation } = user;
  const token = user.tokenFile === undefined ? user.token : await readToken(name, user.tokenFile);
  return {
    ...(await inline(name, "client-certificate", clientCertificate?.certificate)),
    ...(await inline(name, "client-key", clientCertificate?.key)),
    ...(token === undefined ? {} : { token }),
    ...(basicAuth === undefined || token !== undefined ? {} : basicAuth),
    ...(impersonation === undefined
      ? {}
      : {
          as: impersonation.user,
          ...(impersonation.uid === undefined ? {} : { "as-uid": impersonation.uid }),
          "as-groups": impersonation.groups,
          "as-user-extra": Object.fromEntries(impersonation.extra),
        }),
  };
}

async function readToken(context: string, path: string): Promise<string> {
  const text = await read(context, "tokenFile", path, () => readBounded(path, materialBoundBytes));
  return text.trim();
}

async function inline(context: string, field: string, material: Material | undefined): Promise<Record<string, string>> {
  if (material === undefined) return {};
  const path = material.kind === "file" ? material.path : "";
  const text = await read(context, field, path, () => loadMaterial(material));
  return { [`${field}-data`]: Buffer.from(text).toString("base64") };
}

async function read(context: string, field: string, path: string, load: () => Promise<string>): Promise<string> {
  try {
    return await load();
  } catch (reason) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `context ${quote(context)} names ${path} as ${field}, which cannot be read; check that it exists`,
      { cause: reason },
    );
  }
}
