// SPDX-License-Identifier: Apache-2.0
import { stdin } from "node:process";
import type { ClusterPort } from "../../agent/agent.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type ClusterConnection, connectCluster } from "../../kube/connect-cluster.ts";
import type { ClusterAccess } from "../../kube/credentials/cluster-access.ts";
import { parseImportedKubeconfig, resolveImportedContext } from "../../kube/credentials/imported-kubeconfig.ts";
import { inClusterAccess } from "../../kube/credentials/in-cluster.ts";
import { kubeconfigAccess } from "../../kube/credentials/load-kubeconfig.ts";
import type { AgentConfig } from "./agent-settings.ts";

/** `kubeconfig` is a file, or `-` for standard input, which is read once. */
type ClusterConfig = Pick<AgentConfig, "kubeconfig" | "context" | "allowLoopbackImports" | "connectTimeoutMs">;

export interface ClusterDialer {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly clock: Clock;
}

/**
 * Connects the agent to its cluster: by a kubeconfig that is read again on reload, else by the service account of its
 * Pod. Throws CONFIG_INVALID.
 */
export async function openCluster(
  config: ClusterConfig,
  { environment, userAgent, clock }: ClusterDialer,
): Promise<ClusterConnection> {
  const { connectTimeoutMs } = config;
  const reread = await openAccess(config, environment);
  return connectCluster({ access: await reread(), reread, clock, userAgent, environment, connectTimeoutMs });
}

async function openAccess(
  { kubeconfig, context, allowLoopbackImports: allowsLoopback }: ClusterConfig,
  environment: ClusterDialer["environment"],
): Promise<() => Promise<ClusterAccess>> {
  if (kubeconfig === undefined) return () => inClusterAccess({ environment });
  if (kubeconfig !== "-") return kubeconfigAccess({ file: kubeconfig, environment }, context);
  const imported = await parseImportedKubeconfig("on standard input", await readInput());
  const access = resolveImportedContext(imported, context, { allowsLoopback });
  return () => Promise.resolve(access);
}

/** Larger than any accepted kubeconfig (KU7); the parser reports one that is too large. */
const maxInputBytes = 1024 * 1024;

async function readInput(): Promise<string> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  const chunks: AsyncIterable<Uint8Array> = stdin;
  for await (const chunk of chunks) {
    parts.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxInputBytes) break;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Adapts the connection to the agent's port. */
export function toClusterPort(connection: ClusterConnection): ClusterPort {
  return {
    source: connection,
    reload: () => connection.reload(),
    onBroken: (listener) => connection.onBroken(() => listener()),
    credentialTerm: () => connection.credentialTerm,
  };
}
