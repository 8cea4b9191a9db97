// SPDX-License-Identifier: Apache-2.0
import { isBehind, isLoss } from "../../health/health-state.ts";
import type { Transition } from "../../health/transition.ts";
import type { StoredSession } from "../fleet/claim-store.ts";
import type { FleetObserver, HeartbeatFacts } from "../fleet/fleet-observer.ts";
import type { HealthSink } from "../health/cluster-health.ts";
import { type CaughtUp, notKnown, Outage } from "./outage.ts";

/** What the newest heartbeat said of the API server. */
export interface ApiServerWord {
  /** "" = it answers. */
  readonly fault: string;
  readonly error: string;
  /** By the hub's monotonic clock. */
  readonly sinceMs: number;
}

/** The agent of a cluster, as its sessions tell. */
export interface AgentFacts {
  readonly agentId: string;
  readonly agentVersion: string;
  readonly address: string;
  readonly epoch: number;
  readonly isLive: boolean;
  /** When its session began, or ended; undefined where that was in an earlier run of the hub. */
  readonly sinceMs: number | undefined;
  /** Undefined before the first heartbeat, and without a session. */
  readonly apiServer: ApiServerWord | undefined;
  /** How far the picture is behind what the agent knows, as it said last. */
  readonly lagMs: number;
}

/** Heartbeats tell durations, which differ by the time a message takes; a moment that moved by less than this is the same one. */
const sameMomentMs = 2_000;

/** The newest of each cluster's agent. Sessions of other shards than the collecting one say nothing of the picture (SE1). */
export class AgentBook implements HealthSink {
  readonly #onChange: (cluster: string) => void;
  readonly #nowMs: () => number;
  readonly #agents = new Map<string, AgentFacts>();
  readonly #incarnations = new Map<string, string>();
  readonly #outages = new Map<string, Outage>();
  /** Clusters whose agent says when kinds are listed (SE47). */
  readonly #listTellers = new Set<string>();

  constructor(onChange: (cluster: string) => void, nowMs: () => number) {
    this.#onChange = onChange;
    this.#nowMs = nowMs;
  }

  readonly observer: Pick<FleetObserver, "began" | "ended" | "heartbeat" | "kindStatuses" | "applied"> = {
    began: (session, nowMs) => {
      if (session.shard !== "") return;
      const { cluster, agentId, agentVersion, address, epoch, incarnation } = session;
      this.#incarnations.set(cluster, incarnation);
      this.#outages.get(cluster)?.noteSession(incarnation);
      this.#listTellers.delete(cluster);
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
    ended: (session, _ending, nowMs) => {
      // The end of a session whose place was taken may come after the beginning of the other.
      if (session.shard !== "" || this.get(session.cluster)?.epoch !== session.epoch) return;
      this.#change(session.cluster, { isLive: false, sinceMs: nowMs, apiServer: undefined, lagMs: 0 });
    },
    heartbeat: (session, heartbeat, nowMs) => {
      if (session.shard !== "") return;
      const before = this.#agents.get(session.cluster)?.apiServer;
      const apiServer = toApiServerWord(before, heartbeat, nowMs);
      if (apiServer.fault !== "") this.#outages.get(session.cluster)?.noteApiServerFault();
      this.#change(session.cluster, { apiServer, lagMs: heartbeat.oldestWaitingMs });
      // Whose API server is lost says with each heartbeat when it tries again.
      if (apiServer.fault !== "") this.#onChange(session.cluster);
    },
    kindStatuses: ({ cluster, shard }, kinds, nowMs) => {
      if (shard !== "") return;
      this.#outages.get(cluster)?.noteKinds(kinds, nowMs);
      if (kinds.some(({ listedMsAgo }) => listedMsAgo !== undefined)) this.#listTellers.add(cluster);
    },
    applied: (session, { collectedMsAgo }) => {
      if (session.shard === "") this.#change(session.cluster, { lagMs: collectedMsAgo });
    },
  };

  get(cluster: string): AgentFacts | undefined {
    return this.#agents.get(cluster);
  }

  /** Takes what an earlier run of the hub stored; a session of this run knows better. */
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
    const tellsLists = this.#listTellers.has(cluster);
    const outage = new Outage(this.#incarnations.get(cluster) ?? "", this.#nowMs(), tellsLists);
    this.#outages.set(cluster, outage);
    if ((this.#agents.get(cluster)?.apiServer?.fault ?? "") !== "") outage.noteApiServerFault();
  }

  /** The newest loss of the cluster, which knows how it came back; where there was none nothing is known. */
  outageOf(cluster: string): { readonly caughtUp: CaughtUp } {
    return this.#outages.get(cluster) ?? { caughtUp: notKnown };
  }

  forget(cluster: string): void {
    this.#agents.delete(cluster);
    this.#incarnations.delete(cluster);
    this.#outages.delete(cluster);
    this.#listTellers.delete(cluster);
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

/** True where nobody would see a difference: most heartbeats say what the one before said. */
function isShownSame(a: AgentFacts, b: AgentFacts): boolean {
  return a.epoch === b.epoch && a.isLive === b.isLive && lagSecondsOf(a) === lagSecondsOf(b);
}

/** Whole seconds that the picture is behind; 0 below one. */
export function lagSecondsOf({ lagMs }: Pick<AgentFacts, "lagMs">): number {
  return Math.floor(lagMs / 1_000);
}

function toApiServerWord(before: ApiServerWord | undefined, heartbeat: HeartbeatFacts, nowMs: number): ApiServerWord {
  const { apiServerFault: fault, apiServerError: error, apiServerSinceMsAgo } = heartbeat;
  const sinceMs = nowMs - apiServerSinceMsAgo;
  // An agent that has just looked, or does not say since when, says 0.
  const isNear = apiServerSinceMsAgo === 0 || Math.abs((before?.sinceMs ?? 0) - sinceMs) < sameMomentMs;
  const isSame = before !== undefined && before.fault === fault && isNear;
  return { fault, error, sinceMs: isSame ? before.sinceMs : sinceMs };
}
