// SPDX-License-Identifier: Apache-2.0
import type { ClusterPort } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { type ClusterConnection, connectCluster } from "../../kube/connect-cluster.ts";
import { inClusterAccess } from "../../kube/credentials/in-cluster.ts";
import { kubeconfigAccess } from "../../kube/credentials/load-kubeconfig.ts";

export interface ClusterPlace {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly connectTimeoutMs: number;
  readonly userAgent: string;
  readonly clock: Clock;
}

/** The agent's way to its cluster: by a kubeconfig that is read again on reload, else as the Pod it runs in. Throws CONFIG_INVALID. */
export async function openCluster(place: ClusterPlace): Promise<ClusterConnection> {
  const { kubeconfig, context, environment, connectTimeoutMs, userAgent, clock } = place;
  const reread =
    kubeconfig === undefined
      ? () => inClusterAccess({ environment })
      : kubeconfigAccess({ file: kubeconfig, environment }, context);
  return connectCluster({ access: await reread(), reread, clock, userAgent, environment, connectTimeoutMs });
}

/** The connection as an agent uses it. */
export function toClusterPort(connection: ClusterConnection): ClusterPort {
  return {
    source: connection,
    reload: () => connection.reload(),
    onBroken: (listener) => connection.onBroken(() => listener()),
  };
}
