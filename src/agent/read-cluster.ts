// SPDX-License-Identifier: Apache-2.0
import type { BackoffOptions } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { FlotillaError } from "../base/error.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import { retry } from "../base/retry.ts";
import { textOf } from "../kinds/fields.ts";
import { KubeError } from "../kube/kube-error.ts";
import type { KubeSource } from "../kube/kube-source.ts";
import { parseJson, readBody } from "../kube/reflector/parse-kube-json.ts";

/** What a cluster says of itself. */
export interface ClusterSelf {
  /** UID of its kube-system namespace: another cluster has another one (SE7). */
  readonly uid: string;
  /** `v1.36.3`. */
  readonly kubernetesVersion: string;
}

export interface ReadClusterOptions {
  readonly source: KubeSource;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly backoff: BackoffOptions;
}

/** A namespace or a version is below 2 kB; annotations may add some. */
const maxBodyBytes = 1024 * 1024;

/** Asks the cluster who it is, until it answers (L12). Rejects with the signal's reason alone: an agent without a cluster has nothing else to do. */
export function readCluster(options: ReadClusterOptions, signal: AbortSignal): Promise<ClusterSelf> {
  return retry(
    async (within) => {
      const [namespace, version] = await Promise.all([
        get(options, "/api/v1/namespaces/kube-system", within),
        get(options, "/version", within),
      ]);
      const uid = textOf(namespace, "metadata", "uid");
      if (uid === undefined || uid === "")
        throw new FlotillaError("UNAVAILABLE", "the kube-system namespace has no uid");
      return { uid, kubernetesVersion: textOf(version, "gitVersion") ?? "" };
    },
    { ...options, what: "reading who the cluster is" },
    signal,
  );
}

async function get(
  { source, requestTimeoutMs }: ReadClusterOptions,
  path: string,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const answer = await source.request({ method: "GET", path, deadlineMs: requestTimeoutMs }, signal);
    const body = await readBody(answer.body, maxBodyBytes);
    if (body === undefined) throw new FlotillaError("UNAVAILABLE", `${path} has more than ${maxBodyBytes} bytes`);
    return parseJson(body, path);
  } catch (reason) {
    // Whatever stands in the way may be mended from outside: a right that is missing, a credential that ended.
    if (reason instanceof KubeError) throw new FlotillaError("UNAVAILABLE", reason.message, { cause: reason });
    throw reason;
  }
}
