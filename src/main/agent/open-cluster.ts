// SPDX-License-Identifier: Apache-2.0
import { stdin } from "node:process";
import type { ClusterPort } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { type ClusterConnection, connectCluster } from "../../kube/connect-cluster.ts";
import type { ClusterAccess } from "../../kube/credentials/cluster-access.ts";
import { parseImportedKubeconfig, resolveImportedContext } from "../../kube/credentials/imported-kubeconfig.ts";
import { inClusterAccess } from "../../kube/credentials/in-cluster.ts";
import { kubeconfigAccess } from "../../kube/credentials/load-kubeconfig.ts";

export interface ClusterPlace {
  /** `-`: standard input, read once. */
  readonly kubeconfig: string | undefined;
  /** Whether the API server of a kubeconfig from standard input may be on this machine (KU7). */
  readonly allowLoopbackImports: boolean;
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly connectTimeoutMs: number;
  readonly userAgent: string;
  readonly clock: Clock;
}

/**
 * Connects the agent to its cluster: by a kubeconfig that is read again on reload, else by the service account of its
 * Pod. Throws CONFIG_INVALID.
 */
export async function openCluster(place: ClusterPlace): Promise<ClusterConnection> {
  const { environment, connectTimeoutMs, userAgent, clock } = place;
  const reread = await openAccess(place);
  return connectCluster({ access: await reread(), reread, clock, userAgent, environment, connectTimeoutMs });
}

async function openAccess(place: ClusterPlace): Promise<() => Promise<ClusterAccess>> {
  const { kubeconfig, context, environment, allowLoopbackImports: allowsLoopback } = place;
  if (kubeconfig === undefined) return () => inClusterAccess({ environment });
  if (kubeconfig !== "-") return kubeconfigAccess({ file: kubeconfig, environment }, context);
  const config = await parseImportedKubeconfig("on standard input", await readInput());
  const access = resolveImportedContext(config, context, { allowsLoopback });
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
