// SPDX-License-Identifier: Apache-2.0
// Claims and session records in the store. The lease grants the claim; the record keeps its newest session (SE9, SE10).
import type { Clock } from "../../base/time/clock.ts";
import type { Revision } from "../../model/revision.ts";
import {
  type ClaimHolder,
  type ClaimingProcess,
  type ClaimTimes,
  claimName,
  type LeaseAnswer,
  leaseMsOf,
  parseHolderText,
  type SessionRecord,
  toHolderText,
} from "../../session/hub/claims.ts";
import { listPages } from "../../store/follow-table.ts";
import { put, remove, type Store } from "../../store/store.ts";
import type { ValueOf } from "../../store/table.ts";
import { sessions } from "../../store/tables.ts";
import type { ObservedEnding, SessionFacts } from "./session-events.ts";

/** The newest session of a (cluster, shard), as stored (N-45). */
export interface StoredSession extends SessionRecord {
  readonly cluster: string;
  readonly shard: string;
  readonly agentVersion: string;
  readonly address: string;
  readonly epoch: number;
  readonly connectedAtMs: number;
  readonly endedAtMs: number | undefined;
}

export interface ClaimStoreOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** `--claim-grace-period`: how long other agents wait after an unclean end. */
  readonly graceMs: number;
  /** Identifies this hub among the hubs on the store. Unchanged by a restart; contains no spaces. */
  readonly hubId: string;
}

/** A claim that this hub holds, or the other holder. `leaseEpoch` fences commits after the claim is lost (ST26). */
export type HeldClaim =
  | { readonly kind: "held"; readonly leaseEpoch: bigint }
  | Extract<LeaseAnswer, { kind: "taken" }>;

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

/** Whether the claim is free at once: the agent sent Goodbye, or an administrator revoked it. */
function isFree(ending: ObservedEnding): boolean {
  return ending.kind === "left" || ending.reason === "revoked";
}

/**
 * The number of sessions marked as lost concurrently, so that they share syncs. No session is accepted until all are
 * marked.
 */
const recoveredTogether = 64;

/** Reads and writes claims and their sessions. The caller serializes calls for one claim. */
export class ClaimStore {
  readonly #options: ClaimStoreOptions;

  constructor(options: ClaimStoreOptions) {
    this.#options = options;
  }

  get times(): ClaimTimes & { readonly graceMs: number } {
    const { heartbeatMs, graceMs } = this.#options;
    return { heartbeatMs, leaseMs: leaseMsOf(heartbeatMs), graceMs };
  }

  /** Takes or renews the claim for this process at this hub. */
  acquire(cluster: string, shard: string, agent: ClaimingProcess): Promise<HeldClaim> {
    return this.#hold(cluster, shard, agent, this.times.leaseMs);
  }

  /**
   * Takes the claim from a holder that the agent may succeed. Returns "taken" if another process took it in between.
   */
  async inherit(cluster: string, shard: string, agent: ClaimingProcess, from: ClaimHolder): Promise<HeldClaim> {
    await this.#options.store.leases.release(claimName(cluster, shard), toHolderText(from));
    return this.acquire(cluster, shard, agent);
  }

  /** Releases the claim that `acquire` took. */
  async release(cluster: string, shard: string, agent: ClaimingProcess): Promise<void> {
    await this.#options.store.leases.release(claimName(cluster, shard), toHolderText(this.#holder(agent)));
  }

  async load(cluster: string, shard: string): Promise<StoredSession | undefined> {
    const { store } = this.#options;
    const row = await store.get(sessions, [store.workspace, cluster, shard]);
    return row === undefined ? undefined : toStored(cluster, shard, row.value);
  }

  async list(): Promise<readonly StoredSession[]> {
    const { store } = this.#options;
    const found: StoredSession[] = [];
    for await (const { rows } of listPages(store, sessions, [store.workspace]))
      for (const { key, value } of rows) found.push(toStored(key[1] ?? "", key[2] ?? "", value));
    return found;
  }

  /**
   * Writes the session record durably, before the Welcome. Returns false, without a write, if another hub or agent has
   * taken the claim.
   */
  async begin(session: SessionFacts, leaseEpoch: bigint): Promise<boolean> {
    const { cluster, shard } = session;
    const value = toValue({ ...session, state: "live", endedAtMs: undefined });
    const fence = { lease: claimName(cluster, shard), epoch: leaseEpoch };
    const outcome = await this.#options.store.commit(
      [put(sessions, [this.#options.store.workspace, cluster, shard], value)],
      {
        fence,
      },
    );
    return outcome.kind === "committed";
  }

  /**
   * Records the end, and releases the claim or holds it for the grace period. Does nothing if a later session has the
   * claim. If the cluster was removed, only the claim is released.
   */
  async end(session: SessionFacts, ending: ObservedEnding): Promise<void> {
    const { cluster, shard } = session;
    const { store } = this.#options;
    const newest = await store.get(sessions, [store.workspace, cluster, shard]);
    if (newest !== undefined && newest.value.epoch !== session.epoch) return;
    const endedAtMs = this.#options.clock.wallMs();
    if (newest === undefined || isFree(ending)) await this.release(cluster, shard, session);
    else await this.#hold(cluster, shard, session, this.#options.graceMs);
    if (newest !== undefined) await this.#write({ ...session, state: ending.kind, endedAtMs }, newest.revision);
  }

  /** Deletes the session records of a removed cluster. A new cluster with the same id starts without history. */
  async forget(cluster: string): Promise<void> {
    const { store } = this.#options;
    const { rows } = await store.list(sessions, { prefix: [store.workspace, cluster] });
    if (rows.length > 0) await store.commit(rows.map(({ key }) => remove(sessions, key)));
  }

  /**
   * Marks a live session without a hub as lost; other agents wait for the grace period from now on (SE41). Returns
   * false, without a change, if another hub holds the claim, or if the session has ended or has a successor.
   */
  async lose(session: StoredSession): Promise<boolean> {
    const { cluster, shard, epoch } = session;
    const lease = await this.#hold(cluster, shard, session, this.#options.graceMs);
    if (lease.kind === "taken") return false;
    const newest = await this.#options.store.get(sessions, [this.#options.store.workspace, cluster, shard]);
    if (newest === undefined || newest.value.epoch !== epoch || newest.value.state !== "live") {
      await this.release(cluster, shard, session);
      return false;
    }
    await this.#write({ ...session, state: "lost", endedAtMs: this.#options.clock.wallMs() }, newest.revision);
    return true;
  }

  /** After a start: marks as lost the sessions of this hub's earlier process, and those whose claim has expired. */
  async recover(): Promise<void> {
    const live = (await this.list()).filter(({ state }) => state === "live");
    for (let at = 0; at < live.length; at += recoveredTogether)
      await Promise.all(live.slice(at, at + recoveredTogether).map((session) => this.lose(session)));
  }

  #holder({ agentId, incarnation }: ClaimingProcess): ClaimHolder {
    return { hubId: this.#options.hubId, agentId, incarnation };
  }

  async #hold(cluster: string, shard: string, agent: ClaimingProcess, forMs: number): Promise<HeldClaim> {
    const { leases } = this.#options.store;
    const outcome = await leases.acquire(claimName(cluster, shard), toHolderText(this.#holder(agent)), forMs);
    if (outcome.kind === "held") return { kind: "held", leaseEpoch: outcome.epoch };
    return { kind: "taken", holder: parseHolderText(outcome.holder), expiresInMs: outcome.expiresInMs };
  }

  /** With `over`, replaces only the row of that revision. A row that was written or removed since is left as it is. */
  async #write(session: StoredSession, over?: Revision): Promise<void> {
    const key = [this.#options.store.workspace, session.cluster, session.shard];
    await this.#options.store.commit([put(sessions, key, toValue(session), over)]);
  }
}
