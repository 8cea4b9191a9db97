// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { textOf } from "../../kinds/fields.ts";
import { connectCluster } from "../../kube/connect-cluster.ts";
import type { ClusterAccess } from "../../kube/credentials/cluster-access.ts";
import { KubeError, type KubeFault } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { parseJson, readBody } from "../../kube/reflector/parse-kube-json.ts";

/** Identity and version of a probed cluster. */
export interface ProbedCluster {
  /** UID of its kube-system namespace (SE7). */
  readonly uid: string;
  readonly kubernetesVersion: string;
}

/**
 * Probes a cluster once. Rejects with INVALID_ARGUMENT when it refuses the credential or answers malformed, UNAVAILABLE
 * when it does not answer, or the signal's reason.
 */
export type ClusterProbe = (access: ClusterAccess, signal: AbortSignal) => Promise<ProbedCluster>;

export interface ProbeOptions {
  readonly clock: Clock;
  readonly userAgent: string;
  /** Source of HTTPS_PROXY and NO_PROXY. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Timeout of each request: a user waits at a prompt. */
const probeTimeoutMs = 10_000;

/** A namespace or version takes less than 2 kB; annotations can add to it. */
const maxBodyBytes = 1024 * 1024;

/** Temporary faults. All others are faults of the kubeconfig. */
const temporaryFaults: ReadonlySet<KubeFault> = new Set(["dns", "tcp", "timeout", "overloaded", "serverError"]);

/** Creates a probe that opens a connection of its own and closes it again. */
export function createClusterProbe(options: ProbeOptions): ClusterProbe {
  return async (access, signal) => {
    await using connection = connectCluster({ ...options, access, connectTimeoutMs: probeTimeoutMs });
    try {
      const namespace = await get(connection, "/api/v1/namespaces/kube-system", signal);
      const version = await get(connection, "/version", signal);
      const uid = textOf(namespace, "metadata", "uid") ?? "";
      if (uid === "") throw new KubeError("malformed", "its kube-system namespace has no uid");
      return { uid, kubernetesVersion: textOf(version, "gitVersion") ?? "" };
    } catch (reason) {
      if (!(reason instanceof KubeError)) throw reason;
      throw new FlotillaError(
        temporaryFaults.has(reason.fault) ? "UNAVAILABLE" : "INVALID_ARGUMENT",
        `the hub cannot use the cluster of context ${JSON.stringify(access.name)}: ${reason.message}; nothing was imported`,
        { cause: reason },
      );
    }
  };
}

async function get(source: KubeSource, path: string, signal: AbortSignal): Promise<unknown> {
  const answer = await source.request({ method: "GET", path, deadlineMs: probeTimeoutMs }, signal);
  const body = await readBody(answer.body, maxBodyBytes);
  if (body === undefined) throw new KubeError("malformed", `${path} has more than ${maxBodyBytes} bytes`);
  return parseJson(body, path);
}
