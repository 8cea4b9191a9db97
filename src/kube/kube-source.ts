// SPDX-License-Identifier: Apache-2.0
// The port between everything that reads a cluster and its API server. `connectCluster` implements it over HTTP/2; the
// simulation implements it with its own cluster.
import type { Impersonation } from "./credentials/cluster-access.ts";
import type { KubeError } from "./kube-error.ts";

/** One request. */
export interface KubeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute, each segment encoded: `/api/v1/namespaces/shop/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** In lower case, in addition to those that the source sets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The user to impersonate. Refused if the source's own credential already impersonates a user. */
  readonly actAs?: Impersonation;
  /** For the complete answer; for a watch, only for the response headers (KU2). */
  readonly deadlineMs: number;
  /** The body continues until either side ends it. */
  readonly isWatch?: boolean;
}

/** An answer with a status below 400. */
export interface KubeAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /**
   * The decompressed bytes as they arrive. One reader, once; leaving the loop releases the request. Throws a KubeError
   * if the body breaks off, and the signal's reason if it aborts.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Requests to one API server with one credential. */
export interface KubeSource {
  /** Rejects with a KubeError (KU3), or with the signal's reason. */
  request(request: KubeRequest, signal: AbortSignal): Promise<KubeAnswer>;
}

/** Receives finished requests, for health and metrics. Must not throw. */
export interface KubeObserver {
  answered(request: KubeRequest, status: number, tookMs: number): void;
  failed(request: KubeRequest, error: KubeError, tookMs: number): void;
}

/**
 * The API server's wall time of an answer: its Date header, to the second. Undefined without the header. Comparable
 * only with times of the same server, such as an object's creation (L20).
 */
export function serverWallMsOf({ headers }: Pick<KubeAnswer, "headers">): number | undefined {
  const atMs = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(atMs) ? undefined : atMs;
}
