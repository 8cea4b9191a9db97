// SPDX-License-Identifier: Apache-2.0
// The questions that are under way, their tickets and their bounds. No time and no stream is begun here.
import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Random } from "../../base/random.ts";
import { idPrefixes } from "../../model/names.ts";
import type { StreamEnd } from "../../session/transport.ts";
import { maxTunnelsOfCluster, ticketBytes } from "../../session/tunnel/tunnel.ts";
import type { SessionFacts } from "../fleet/fleet-observer.ts";

/** TU5: with the largest objects there are, a gigabyte. */
export const maxTunnelCount = 256;

/** A question, from the moment it is asked until it is answered. */
export interface OpenTunnel {
  readonly id: string;
  readonly cluster: string;
  /** Told to the agent alone, and good once (TU2). */
  readonly ticket: Uint8Array;
  /** Of the session that it was told in; undefined until it was. */
  epoch: number | undefined;
  /** Given the stream whose first message showed the ticket. */
  readonly arrived: PromiseWithResolvers<StreamEnd>;
  /** Aborts when the session that it was told in is over, or its agent has failed. */
  readonly cut: AbortController;
}

/** Everything that is asked of agents at a time. */
export class TunnelBook {
  readonly #random: Random;
  readonly #open = new Map<string, OpenTunnel>();
  /** Those whose ticket was not shown yet. */
  readonly #awaited = new Set<OpenTunnel>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** A tunnel with a ticket of its own; it counts until it is closed. Throws OVERLOADED where no more may be open (TU5). */
  open(cluster: string): OpenTunnel {
    this.#checkRoom(cluster);
    const tunnel: OpenTunnel = {
      id: createId(idPrefixes.tunnel, this.#random),
      cluster,
      ticket: this.#random.bytes(ticketBytes),
      epoch: undefined,
      arrived: Promise.withResolvers<StreamEnd>(),
      cut: new AbortController(),
    };
    this.#open.set(tunnel.id, tunnel);
    this.#awaited.add(tunnel);
    return tunnel;
  }

  close(tunnel: OpenTunnel): void {
    this.#open.delete(tunnel.id);
    this.#awaited.delete(tunnel);
  }

  /** The tunnel whose ticket that is, which is used with that; undefined for a wrong, used or late one (TU2). */
  takeTicket(id: string, ticket: Uint8Array): OpenTunnel | undefined {
    const tunnel = this.#open.get(id);
    if (tunnel === undefined || !isSame(tunnel.ticket, ticket)) return undefined;
    return this.#awaited.delete(tunnel) ? tunnel : undefined;
  }

  /** Cuts what was told in a session of the collecting agent that is over (TU2), and what is being told in it at this moment. */
  endSession(cluster: string, epoch: number): void {
    for (const tunnel of this.#open.values()) {
      if (tunnel.cluster === cluster && (tunnel.epoch ?? epoch) === epoch)
        tunnel.cut.abort(new FlotillaError("UNAVAILABLE", `the session with the agent of ${cluster} ended`));
    }
  }

  /** Cuts one that the agent of that session failed to answer (TU4). One that is over, or was told in another session, is none of its business. */
  fail(id: string, { cluster, epoch }: Pick<SessionFacts, "cluster" | "epoch">, error: FlotillaError): void {
    const tunnel = this.#open.get(id);
    if (tunnel?.cluster === cluster && tunnel.epoch === epoch) tunnel.cut.abort(error);
  }

  #checkRoom(cluster: string): void {
    let ofClusterCount = 0;
    for (const each of this.#open.values()) if (each.cluster === cluster) ofClusterCount += 1;
    if (ofClusterCount < maxTunnelsOfCluster && this.#open.size < maxTunnelCount) return;
    const where = ofClusterCount >= maxTunnelsOfCluster ? ` of ${cluster}` : "";
    throw new FlotillaError("OVERLOADED", `as many objects${where} are being read as may be at a time; try again`);
  }
}

/** Compares without telling by its time where two differ. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (const [at, byte] of a.entries()) difference |= byte ^ (b[at] ?? 0);
  return difference === 0;
}
