// SPDX-License-Identifier: Apache-2.0
import { isLoss } from "../../health/health-state.ts";
import type { Transition } from "../../health/transition.ts";
import type { StoredSession } from "../fleet/claim-store.ts";
import type { FleetObserver, HeartbeatFacts } from "../fleet/fleet-observer.ts";
import type { HealthSink } from "../health/cluster-health.ts";

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

/** How a cluster came back: "" = nobody can tell. */
export type CaughtUpBy = "resumed" | "relisted" | "";

interface Outage {
  readonly incarnation: string;
  hadApiServerFault: boolean;
}

/** Heartbeats tell durations, which differ by the time a message takes; a moment that moved by less than this is the same one. */
const sameMomentMs = 2_000;

/** The newest of each cluster's agent. Sessions of other shards than the collecting one say nothing of the picture (SE1). */
export class AgentBook implements HealthSink {
  readonly #onChange: (cluster: string) => void;
  readonly #agents = new Map<string, AgentFacts>();
  readonly #incarnations = new Map<string, string>();
  readonly #outages = new Map<string, Outage>();

  constructor(onChange: (cluster: string) => void) {
    this.#onChange = onChange;
  }

  readonly observer: Pick<FleetObserver, "began" | "ended" | "heartbeat" | "applied"> = {
    began: (session, nowMs) => {
      if (session.shard !== "") return;
      const { cluster, agentId, agentVersion, address, epoch, incarnation } = session;
      this.#incarnations.set(cluster, incarnation);
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
      const outage = this.#outages.get(session.cluster);
      if (outage !== undefined && apiServer.fault !== "") outage.hadApiServerFault = true;
      this.#change(session.cluster, { apiServer, lagMs: heartbeat.oldestWaitingMs });
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
      this.#outages.set(cluster, { incarnation, hadApiServerFault: false });
      const absent = { isLive: false, sinceMs: undefined, apiServer: undefined, lagMs: 0 };
      this.#set(cluster, { agentId, agentVersion, address, epoch, ...absent });
    }
  }

  transition({ cluster, from, to }: Transition): void {
    if (!isLoss(to) || isLoss(from)) return;
    const hadApiServerFault = (this.#agents.get(cluster)?.apiServer?.fault ?? "") !== "";
    this.#outages.set(cluster, { incarnation: this.#incarnations.get(cluster) ?? "", hadApiServerFault });
  }

  /**
   * How the cluster came back from its newest loss. The same process of an agent has its rows and goes on with them; another lists anew. Whether the
   * watches of one that had lost its API server could go on is not told to the hub.
   */
  caughtUpBy(cluster: string): CaughtUpBy {
    const outage = this.#outages.get(cluster);
    const incarnation = this.#incarnations.get(cluster);
    if (outage === undefined || incarnation === undefined || outage.incarnation === "") return "";
    if (incarnation !== outage.incarnation) return "relisted";
    return outage.hadApiServerFault ? "" : "resumed";
  }

  forget(cluster: string): void {
    this.#agents.delete(cluster);
    this.#incarnations.delete(cluster);
    this.#outages.delete(cluster);
  }

  #change(cluster: string, facts: Partial<AgentFacts>): void {
    const before = this.#agents.get(cluster);
    if (before !== undefined) this.#set(cluster, { ...before, ...facts });
  }

  #set(cluster: string, facts: AgentFacts): void {
    this.#agents.set(cluster, facts);
    this.#onChange(cluster);
  }
}

function toApiServerWord(before: ApiServerWord | undefined, heartbeat: HeartbeatFacts, nowMs: number): ApiServerWord {
  const { apiServerFault: fault, apiServerError: error, apiServerSinceMsAgo } = heartbeat;
  const sinceMs = nowMs - apiServerSinceMsAgo;
  // An agent that has just looked, or does not say since when, says 0.
  const isNear = apiServerSinceMsAgo === 0 || Math.abs((before?.sinceMs ?? 0) - sinceMs) < sameMomentMs;
  const isSame = before !== undefined && before.fault === fault && isNear;
  return { fault, error, sinceMs: isSame ? before.sinceMs : sinceMs };
}
