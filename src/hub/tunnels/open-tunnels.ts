// SPDX-License-Identifier: Apache-2.0
// The open tunnels, their tickets and their limits. No timers or streams are started here.
import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Random } from "../../base/random.ts";
import { idPrefixes } from "../../model/names.ts";
import type { StreamEnd } from "../../session/transport.ts";
import { maxTunnelsOfCluster, ticketBytes } from "../../session/tunnel/tunnel.ts";
import type { SessionFacts } from "../sessions/session-events.ts";

/** TU5: a gigabyte, if every object has the largest size. */
export const maxTunnelCount = 256;

/** One read of an object, from the request to its answer. */
export interface OpenTunnel {
  readonly id: string;
  readonly cluster: string;
  /** Sent only to the agent, and valid once (TU2). */
  readonly ticket: Uint8Array;
  /** Epoch of the session in which the ticket was sent; undefined before that. */
  epoch: number | undefined;
  /** Resolves with the stream whose first message presented the ticket. */
  readonly arrived: PromiseWithResolvers<StreamEnd>;
  /** Aborts when that session ends or the agent fails. */
  readonly cut: AbortController;
}

/** All open tunnels. */
export class OpenTunnels {
  readonly #random: Random;
  readonly #open = new Map<string, OpenTunnel>();
  /** Tunnels whose ticket was not presented yet. */
  readonly #awaited = new Set<OpenTunnel>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Number of open tunnels. */
  get size(): number {
    return this.#open.size;
  }

  /** Opens a tunnel with a new ticket; it counts until `close`. Throws OVERLOADED at the limit (TU5). */
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

  /** The tunnel of this ticket, which is thereby used; undefined for a wrong, used or late one (TU2). */
  takeTicket(id: string, ticket: Uint8Array): OpenTunnel | undefined {
    const tunnel = this.#open.get(id);
    if (tunnel === undefined || !isSame(tunnel.ticket, ticket)) return undefined;
    return this.#awaited.delete(tunnel) ? tunnel : undefined;
  }

  /** Aborts tunnels whose ticket was sent in this ended session of the collecting agent, or was not sent yet (TU2). */
  endSession(cluster: string, epoch: number): void {
    for (const tunnel of this.#open.values()) {
      if (tunnel.cluster === cluster && (tunnel.epoch ?? epoch) === epoch)
        tunnel.cut.abort(new FlotillaError("UNAVAILABLE", `the session with the agent of ${cluster} ended`));
    }
  }

  /**
   * Aborts a tunnel that the agent of this session failed to answer (TU4). Ignores closed tunnels and those of other
   * sessions.
   */
  fail(id: string, { cluster, epoch }: Pick<SessionFacts, "cluster" | "epoch">, error: FlotillaError): void {
    const tunnel = this.#open.get(id);
    if (tunnel?.cluster === cluster && tunnel.epoch === epoch) tunnel.cut.abort(error);
  }

  #checkRoom(cluster: string): void {
    let ofClusterCount = 0;
    for (const each of this.#open.values()) if (each.cluster === cluster) ofClusterCount += 1;
    if (ofClusterCount < maxTunnelsOfCluster && this.#open.size < maxTunnelCount) return;
    const where = ofClusterCount >= maxTunnelsOfCluster ? ` of ${cluster}` : "";
    throw new FlotillaError("OVERLOADED", `too many objects${where} are being read at the same time; try again`);
  }
}

/** Compares in constant time. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (const [at, byte] of a.entries()) difference |= byte ^ (b[at] ?? 0);
  return difference === 0;
}
