// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../base/error.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { BackoffOptions } from "../base/time/backoff.ts";
import type { Clock } from "../base/time/clock.ts";
import { retry } from "../base/time/retry.ts";
import { textOf } from "../kinds/fields.ts";
import { KubeError } from "../kube/kube-error.ts";
import type { KubeSource } from "../kube/kube-source.ts";
import { parseJson, readBody } from "../kube/reflector/parse-kube-json.ts";

/** The cluster's identity and version, as read from its API server. */
export interface ClusterSelf {
  /** UID of its kube-system namespace; different in every cluster (SE7). */
  readonly uid: string;
  /** Such as `v1.36.3`. */
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

/** A namespace or a version is below 2 kB; annotations may add to that. */
const maxBodyBytes = 1024 * 1024;

/**
 * Reads the cluster's identity, with retries until it answers (L12): the agent cannot dial its hub without it. Rejects
 * only with the signal's reason.
 */
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
    { ...options, what: "reading the cluster's UID and version" },
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
    // Any API failure can be fixed from outside, such as a missing right or an expired credential: it is retried.
    if (reason instanceof KubeError) throw new FlotillaError("UNAVAILABLE", reason.message, { cause: reason });
    throw reason;
  }
}
