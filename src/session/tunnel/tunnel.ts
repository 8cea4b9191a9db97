// SPDX-License-Identifier: Apache-2.0
// What the two ends of a tunnel agree on: docs/spec/tunnel.md.
import type { FlotillaError } from "../../base/error.ts";

/** What the session tells an agent of a tunnel that it is to open (TU1). */
export interface TunnelOffer {
  readonly tunnelId: string;
  readonly ticket: Uint8Array;
  /** From receipt. */
  readonly deadlineMs: number;
}

/** A tunnel whose end an agent could not tell in the tunnel itself (TU4). */
export interface TunnelFailure {
  readonly tunnelId: string;
  readonly error: FlotillaError;
}

/** One object that a user wants to see (TU6). */
export interface ObjectRead {
  readonly user: string;
  readonly groups: readonly string[];
  /** The text of a resource id. */
  readonly resource: string;
  /** "" for resources that have none. */
  readonly namespace: string;
  readonly name: string;
}

/** TU2. */
export const ticketBytes = 32;

/** Tunnels of one cluster that are open at a time (TU5): a dozen people who look at it at once. Each may hold an object of the largest size. */
export const maxTunnelsOfCluster = 16;

/** Tunnels that an agent has open at a time (TU5): twice what a hub has of one cluster, since its end of one is over a moment before the agent's. */
export const maxTunnelsOfAgent = 2 * maxTunnelsOfCluster;

/** An object as JSON (TU5): what one message of the hub holds, with room for its envelope. etcd takes 1.5 MiB by default. */
export const maxObjectBytes = 3_900_000;

/** Of namespaces and objects: the longest that Kubernetes gives. */
export const maxNameBytes = 253;
