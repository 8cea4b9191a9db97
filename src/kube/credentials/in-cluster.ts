// SPDX-License-Identifier: Apache-2.0
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import { anonymousUser, type ClusterAccess } from "./cluster-access.ts";
import { readBounded } from "./read-bounded.ts";

/** Where the kubelet puts a service account's files (ServiceAccount admission). */
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** A namespace's name has 63 characters. */
const namespaceBoundBytes = 1024;

/** The environment of the pod, and where its service account's files are if not where the kubelet puts them. */
export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
}

/** True where the environment is that of a pod (KUBERNETES_SERVICE_HOST and _PORT). */
export function isInCluster({ environment }: InClusterOptions): boolean {
  return Boolean(environment["KUBERNETES_SERVICE_HOST"]) && Boolean(environment["KUBERNETES_SERVICE_PORT"]);
}

/** The API server of the cluster this pod runs in, as its service account (KU8). Throws CONFIG_INVALID outside of a cluster. */
export async function inClusterAccess(options: InClusterOptions): Promise<ClusterAccess> {
  const { environment, folder = accountFolder } = options;
  const host = environment["KUBERNETES_SERVICE_HOST"] ?? "";
  const port = environment["KUBERNETES_SERVICE_PORT"] ?? "";
  const server = isInCluster(options) ? URL.parse(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`) : null;
  if (server === null) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      "this is no pod of a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT do not name an API server; use --kubeconfig",
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
