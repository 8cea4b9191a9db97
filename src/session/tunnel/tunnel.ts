// SPDX-License-Identifier: Apache-2.0
// Types and limits that both ends of a tunnel share; see docs/spec/tunnel.md.
import type { FlotillaError } from "../../base/error.ts";

/** A tunnel that the hub asks an agent to open, as sent in the session (TU1). */
export interface TunnelOffer {
  readonly tunnelId: string;
  readonly ticket: Uint8Array;
  /** Counted from receipt. */
  readonly deadlineMs: number;
}

/** A failed tunnel whose error an agent could not send in the tunnel itself (TU4). */
export interface TunnelFailure {
  readonly tunnelId: string;
  readonly error: FlotillaError;
}

/** A user's read of one object (TU6). */
export interface ObjectRead {
  readonly user: string;
  readonly groups: readonly string[];
  /** The resource id as text. */
  readonly resource: string;
  /** "" for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

/** Bytes of a ticket (TU2). */
export const ticketBytes = 32;

/** Most open tunnels of one cluster (TU5): a dozen concurrent users. Each may hold an object of the largest size. */
export const maxTunnelsOfCluster = 16;

/**
 * Most open tunnels of an agent (TU5): twice the hub's limit for one cluster, because the hub's end of a tunnel closes
 * a moment before the agent's.
 */
export const maxTunnelsOfAgent = 2 * maxTunnelsOfCluster;

/**
 * Most bytes of an object as JSON (TU5): it fits into one message of the hub with its envelope. etcd accepts 1.5 MiB by
 * default.
 */
export const maxObjectBytes = 3_900_000;

/** Most bytes of the name of a namespace or object: the limit of Kubernetes. */
export const maxNameBytes = 253;
