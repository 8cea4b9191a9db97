// SPDX-License-Identifier: Apache-2.0
import { isBehind, isLoss } from "../../../health/health-state.ts";
import type { Transition } from "../../../health/transition.ts";
import type { HealthSink } from "../../health/cluster-health.ts";
import { type CaughtUp, notKnown, Outage } from "../../history/outage.ts";
import type { StoredSession } from "../../sessions/claim-store.ts";
import type { HeartbeatFacts, SessionHandlers } from "../../sessions/session-events.ts";

/** The API server's state in the newest heartbeat. */
export interface ApiServerWord {
  /** "": it answers. */
  readonly fault: string;
  readonly error: string;
  /** On the hub's monotonic clock. */
  readonly sinceMs: number;
}

/** A cluster's agent, from its session events. */
export interface AgentFacts {
  readonly agentId: string;
  readonly agentVersion: string;
  readonly address: string;
  readonly epoch: number;
  readonly isLive: boolean;
  /** When its session began or ended; undefined if in an earlier run of the hub. */
  readonly sinceMs: number | undefined;
  /** Undefined before the first heartbeat, and without a session. */
  readonly apiServer: ApiServerWord | undefined;
  /** How far the fleet's rows lags behind the agent, as reported last. */
  readonly lagMs: number;
}

/** Heartbeats carry durations, which vary with transit time. A time that moved by less than this is unchanged. */
const sameMomentMs = 2_000;

/**
 * The newest facts of each cluster's agent. Sessions of other shards are ignored: they do not feed the fleet's rows
 * (SE1).
 */
export class AgentTracker implements HealthSink {
  readonly #onChange: (cluster: string) => void;
  readonly #nowMs: () => number;
  readonly #agents = new Map<string, AgentFacts>();
  readonly #incarnations = new Map<string, string>();
  readonly #outages = new Map<string, Outage>();
  /** Clusters whose agent reports list times (SE47). */
  readonly #listReporters = new Set<string>();

  constructor(onChange: (cluster: string) => void, nowMs: () => number) {
    this.#onChange = onChange;
    this.#nowMs = nowMs;
  }

  readonly handlers = {
    began: ({ session, nowMs }) => {
      if (session.shard !== "") return;
      const { cluster, agentId, agentVersion, address, epoch, incarnation } = session;
      this.#incarnations.set(cluster, incarnation);
      this.#outages.get(cluster)?.noteSession(incarnation);
      this.#listReporters.delete(cluster);
      this.#set(cluster, {
        agentId,
        agentVersion,
        address,
        epoch,
        isLive: true,
        sinceMs: nowMs,
        apiServer: undefined,
        lagMs: 0,
      });
    },
    ended: ({ session, nowMs }) => {
      // The end of a superseded session can arrive after the start of its successor.
      if (session.shard !== "" || this.get(session.cluster)?.epoch !== session.epoch) return;
      this.#change(session.cluster, { isLive: false, sinceMs: nowMs, apiServer: undefined, lagMs: 0 });
    },
    heartbeat: ({ session, heartbeat, nowMs }) => {
      if (session.shard !== "") return;
      const before = this.#agents.get(session.cluster)?.apiServer;
      const apiServer = toApiServerWord(before, heartbeat, nowMs);
      if (apiServer.fault !== "") this.#outages.get(session.cluster)?.noteApiServerFault();
      this.#change(session.cluster, { apiServer, lagMs: heartbeat.oldestWaitingMs });
      // While its API server is lost, each heartbeat carries a new time of the next attempt.
      if (apiServer.fault !== "") this.#onChange(session.cluster);
    },
    kindStatuses: ({ session: { cluster, shard }, kinds, nowMs }) => {
      if (shard !== "") return;
      this.#outages.get(cluster)?.noteKinds(kinds, nowMs);
      if (kinds.some(({ listedMsAgo }) => listedMsAgo !== undefined)) this.#listReporters.add(cluster);
    },
    applied: ({ session, flush: { collectedMsAgo } }) => {
      if (session.shard === "") this.#change(session.cluster, { lagMs: collectedMsAgo });
    },
  } satisfies SessionHandlers;

  get(cluster: string): AgentFacts | undefined {
    return this.#agents.get(cluster);
  }

  /** Loads sessions of earlier runs of the hub. Sessions of this run take precedence. */
  load(stored: readonly StoredSession[]): void {
    for (const { cluster, shard, agentId, agentVersion, address, epoch, incarnation } of stored) {
      if (shard !== "" || this.#agents.has(cluster)) continue;
      this.#incarnations.set(cluster, incarnation);
      this.#outages.set(cluster, new Outage(incarnation, this.#nowMs(), false));
      const absent = { isLive: false, sinceMs: undefined, apiServer: undefined, lagMs: 0 };
      this.#set(cluster, { agentId, agentVersion, address, epoch, ...absent });
    }
  }

  transition({ cluster, from, to, reason }: Transition): void {
    if (!isLoss({ state: to, reason }) || isBehind(from)) return;
    const reportsLists = this.#listReporters.has(cluster);
    const outage = new Outage(this.#incarnations.get(cluster) ?? "", this.#nowMs(), reportsLists);
    this.#outages.set(cluster, outage);
    if ((this.#agents.get(cluster)?.apiServer?.fault ?? "") !== "") outage.noteApiServerFault();
  }

  /** The cluster's newest outage, with how it caught up; unknown if there was none. */
  outageOf(cluster: string): { readonly caughtUp: CaughtUp } {
    return this.#outages.get(cluster) ?? { caughtUp: notKnown };
  }

  forget(cluster: string): void {
    this.#agents.delete(cluster);
    this.#incarnations.delete(cluster);
    this.#outages.delete(cluster);
    this.#listReporters.delete(cluster);
  }

  #change(cluster: string, facts: Partial<AgentFacts>): void {
    const before = this.#agents.get(cluster);
    if (before !== undefined) this.#set(cluster, { ...before, ...facts });
  }

  #set(cluster: string, facts: AgentFacts): void {
    const before = this.#agents.get(cluster);
    this.#agents.set(cluster, facts);
    if (before === undefined || !isShownSame(before, facts)) this.#onChange(cluster);
  }
}

/** True if viewers see no difference, as for most heartbeats. */
function isShownSame(a: AgentFacts, b: AgentFacts): boolean {
  return a.epoch === b.epoch && a.isLive === b.isLive && lagSecondsOf(a) === lagSecondsOf(b);
}

/** Lag of the fleet's rows in whole seconds; 0 below one. */
export function lagSecondsOf({ lagMs }: Pick<AgentFacts, "lagMs">): number {
  return Math.floor(lagMs / 1_000);
}

function toApiServerWord(before: ApiServerWord | undefined, heartbeat: HeartbeatFacts, nowMs: number): ApiServerWord {
  const { apiServerFault: fault, apiServerError: error, apiServerSinceMsAgo } = heartbeat;
  const sinceMs = nowMs - apiServerSinceMsAgo;
  // 0 means that the agent has just probed or does not report a duration.
  const isNear = apiServerSinceMsAgo === 0 || Math.abs((before?.sinceMs ?? 0) - sinceMs) < sameMomentMs;
  const isSame = before !== undefined && before.fault === fault && isNear;
  return { fault, error, sinceMs: isSame ? before.sinceMs : sinceMs };
}
