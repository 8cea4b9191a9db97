// SPDX-License-Identifier: Apache-2.0
// Claims and session records in the store: the lease says who may, the record says who did (SE9, SE10).
import type { Clock } from "../../base/clock.ts";
import { claimName, leaseMsOf, type SessionRecord } from "../../session/hub/claims.ts";
import { type LeaseOutcome, put, type Store } from "../../store/store.ts";
import type { ValueOf } from "../../store/table.ts";
import { rootWorkspace, sessions } from "../../store/tables.ts";
import type { SessionEnding, SessionFacts } from "./fleet-observer.ts";

/** The newest session of a (cluster, shard), as stored (N-45). */
export interface StoredSession extends SessionRecord {
  readonly cluster: string;
  readonly shard: string;
  readonly agentVersion: string;
  readonly address: string;
  readonly epoch: number;
  readonly incarnation: string;
  readonly connectedAtMs: number;
  readonly endedAtMs: number | undefined;
}

export interface ClaimStoreOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** `--claim-grace-period`: how long others wait after an unclean end. */
  readonly graceMs: number;
}

type SessionValue = ValueOf<typeof sessions>;

function toStored(cluster: string, shard: string, value: SessionValue): StoredSession {
  return {
    cluster,
    shard,
    agentId: value.agent_id,
    agentVersion: value.agent_version,
    address: value.address,
    epoch: value.epoch,
    incarnation: value.incarnation,
    state: value.state === "live" || value.state === "left" ? value.state : "lost",
    connectedAtMs: value.connected_at_ms,
    endedAtMs: value.ended_at_ms ?? undefined,
  };
}

function toValue(session: StoredSession): SessionValue {
  return {
    agent_id: session.agentId,
    agent_version: session.agentVersion,
    address: session.address,
    epoch: session.epoch,
    incarnation: session.incarnation,
    state: session.state,
    connected_at_ms: session.connectedAtMs,
    ended_at_ms: session.endedAtMs ?? null,
  };
}

/** A claim that nobody needs to wait for: the agent said goodbye, or may not come back by an administrator's word. */
function isFree(ending: SessionEnding): boolean {
  return ending.kind === "left" || ending.reason === "revoked" || ending.reason === "paused";
}

/** Reads and writes who has which claim. Calls for one claim are made one after another by the caller. */
export class ClaimStore {
  readonly #options: ClaimStoreOptions;

  constructor(options: ClaimStoreOptions) {
    this.#options = options;
  }

  get leaseMs(): number {
    return leaseMsOf(this.#options.heartbeatMs);
  }

  /** Takes or renews the claim in the agent's name. */
  acquire(cluster: string, shard: string, agentId: string): Promise<LeaseOutcome> {
    return this.#options.store.leases.acquire(claimName(cluster, shard), agentId, this.leaseMs);
  }

  async load(cluster: string, shard: string): Promise<StoredSession | undefined> {
    const row = await this.#options.store.get(sessions, [rootWorkspace, cluster, shard]);
    return row === undefined ? undefined : toStored(cluster, shard, row.value);
  }

  async list(): Promise<readonly StoredSession[]> {
    const { store } = this.#options;
    const found: StoredSession[] = [];
    let page = await store.list(sessions, { prefix: [rootWorkspace] });
    for (;;) {
      for (const { key, value } of page.rows) found.push(toStored(key[1] ?? "", key[2] ?? "", value));
      const after = page.rows.at(-1)?.key;
      if (!page.more || after === undefined) return found;
      page = await store.list(sessions, { prefix: [rootWorkspace], after, asOf: page.revision });
    }
  }

  /** Durable before the Welcome. */
  async begin(session: SessionFacts): Promise<void> {
    await this.#write({ ...session, state: "live", endedAtMs: undefined });
  }

  /** Writes the end, and frees the claim or holds it for the grace period. Nothing if a later session has it already. */
  async end(session: SessionFacts, ending: SessionEnding): Promise<void> {
    const newest = await this.load(session.cluster, session.shard);
    if (newest !== undefined && newest.epoch !== session.epoch) return;
    const endedAtMs = this.#options.clock.wallMs();
    await this.#hold(session, isFree(ending) ? 0 : this.#options.graceMs);
    await this.#write({ ...session, state: ending.kind, endedAtMs });
  }

  /**
   * After a start: sessions that were live when the hub went are lost, and others wait for the grace period from now on. Only for a hub that has
   * the store for itself.
   */
  async recover(): Promise<void> {
    for (const session of await this.list()) {
      if (session.state !== "live") continue;
      await this.#hold(session, this.#options.graceMs);
      await this.#write({ ...session, state: "lost", endedAtMs: this.#options.clock.wallMs() });
    }
  }

  async #hold(session: Pick<SessionFacts, "cluster" | "shard" | "agentId">, forMs: number): Promise<void> {
    const { leases } = this.#options.store;
    const name = claimName(session.cluster, session.shard);
    if (forMs > 0) await leases.acquire(name, session.agentId, forMs);
    else await leases.release(name, session.agentId);
  }

  async #write(session: StoredSession): Promise<void> {
    const key = [rootWorkspace, session.cluster, session.shard];
    await this.#options.store.commit([put(sessions, key, toValue(session))]);
  }
}
