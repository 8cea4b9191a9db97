// SPDX-License-Identifier: Apache-2.0
// The port between everything that reads a cluster and its API server. `connectCluster` carries it over HTTP/2; the simulated world
// answers it from a cluster of its own.
import type { Impersonation } from "./credentials/cluster-access.ts";
import type { KubeError } from "./kube-error.ts";

/** One request. */
export interface KubeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute, each segment encoded: `/api/v1/namespaces/shop/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** In lower case; beside those the source sets itself. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Somebody else as whom this request is made. Refused where the source's own credential acts as somebody else. */
  readonly actAs?: Impersonation;
  /** For the answer; of a watch for its head alone (KU2). */
  readonly deadlineMs: number;
  /** The body goes on for as long as both sides like. */
  readonly isWatch?: boolean;
}

/** An answer below 400. */
export interface KubeAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /**
   * The bytes as they come, decompressed. One reader, once; leaving the loop lets go of the request. Throws a KubeError where the
   * body breaks off, the signal's reason when that aborts.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Requests to one API server with one credential. */
export interface KubeSource {
  /** Rejects with a KubeError (KU3), or with the signal's reason. */
  request(request: KubeRequest, signal: AbortSignal): Promise<KubeAnswer>;
}

/** Told of requests as they end: what health and metrics are made of. Must not throw. */
export interface KubeObserver {
  answered(request: KubeRequest, status: number, tookMs: number): void;
  failed(request: KubeRequest, error: KubeError, tookMs: number): void;
}
