// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import { FlotillaError } from "../../base/error.ts";
import { textOf } from "../../kinds/fields.ts";
import { connectCluster } from "../../kube/connect-cluster.ts";
import type { ClusterAccess } from "../../kube/credentials/cluster-access.ts";
import { KubeError, type KubeFault } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { parseJson, readBody } from "../../kube/reflector/parse-json.ts";

/** What a cluster says of itself. */
export interface ProbedCluster {
  /** UID of its kube-system namespace (SE7). */
  readonly uid: string;
  readonly kubernetesVersion: string;
}

/** Asks a cluster who it is, once. Rejects with INVALID_ARGUMENT where it does not take us, UNAVAILABLE where it does not answer, or the signal's reason. */
export type ClusterProbe = (access: ClusterAccess, signal: AbortSignal) => Promise<ProbedCluster>;

export interface ProbeOptions {
  readonly clock: Clock;
  readonly userAgent: string;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How long each request may take: somebody waits at a prompt. */
const probeTimeoutMs = 10_000;

/** A namespace or a version is below 2 kB; annotations may add some. */
const maxBodyBytes = 1024 * 1024;

/** Faults that may pass by themselves; the others are of the kubeconfig. */
const passing: ReadonlySet<KubeFault> = new Set(["dns", "tcp", "timeout", "overloaded", "serverError"]);

/** The probe over a connection of its own, which is closed again. */
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
        passing.has(reason.fault) ? "UNAVAILABLE" : "INVALID_ARGUMENT",
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
