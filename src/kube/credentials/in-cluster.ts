// SPDX-License-Identifier: Apache-2.0
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import { anonymousUser, type ClusterAccess } from "./cluster-access.ts";
import { readBounded } from "./read-bounded.ts";

/** The folder of a service account's files in a pod (ServiceAccount admission). */
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** A namespace name has at most 63 characters. */
const namespaceBoundBytes = 1024;

/** The pod's environment, and the folder of its service account's files if not the default. */
export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
}

/** True in a pod's environment (KUBERNETES_SERVICE_HOST and _PORT are set). */
export function isInCluster({ environment }: InClusterOptions): boolean {
  return Boolean(environment["KUBERNETES_SERVICE_HOST"]) && Boolean(environment["KUBERNETES_SERVICE_PORT"]);
}

/**
 * Access to the API server of this pod's cluster, as its service account (KU8). Throws CONFIG_INVALID outside of a
 * cluster.
 */
export async function inClusterAccess(options: InClusterOptions): Promise<ClusterAccess> {
  const { environment, folder = accountFolder } = options;
  const host = environment["KUBERNETES_SERVICE_HOST"] ?? "";
  const port = environment["KUBERNETES_SERVICE_PORT"] ?? "";
  const server = isInCluster(options) ? URL.parse(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`) : null;
  if (server === null) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      "not running in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT do not name an API server; use --kubeconfig",
    );
  }
  return {
    name: "in-cluster",
    server,
    tlsServerName: undefined,
    insecureSkipTlsVerify: false,
    certificateAuthority: { kind: "file", path: join(folder, "ca.crt") },
    proxyUrl: undefined,
    disableCompression: false,
    namespace: await loadNamespace(join(folder, "namespace")),
    user: { ...anonymousUser, tokenFile: join(folder, "token") },
    isRestricted: false,
  };
}

async function loadNamespace(path: string): Promise<string> {
  try {
    return (await readBounded(path, namespaceBoundBytes)).trim();
  } catch (reason) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `${path} cannot be read; give the pod a service account with automountServiceAccountToken`,
      {
        cause: reason,
      },
    );
  }
}
