// SPDX-License-Identifier: Apache-2.0
import type { KubeAnswer } from "../kube-source.ts";

/**
 * The API server's wall time of an answer: its Date header, to the second. Undefined without the header. Comparable
 * only with times of the same server, such as an object's creation (L20).
 */
export function serverWallMsOf({ headers }: Pick<KubeAnswer, "headers">): number | undefined {
  const atMs = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(atMs) ? undefined : atMs;
}
