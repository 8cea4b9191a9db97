// SPDX-License-Identifier: Apache-2.0
// Records of sessions and states for the page, kept whether or not there are viewers.

import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { HistoryEntry } from "../../gen/flotilla/page/v1/page_pb.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { Store } from "../../store/store.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { toAdministeredEvent } from "../audit/cluster-history-row.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { ClusterHealth, HealthSink } from "../health/cluster-health.ts";
import { AvailabilityStrips } from "../history/availability-strips.ts";
import { IncidentLedger, type PresentCluster } from "../history/incident-ledger.ts";
import { SessionHistory } from "../history/session-history.ts";
import type { TransitionHistory } from "../history/transition-history.ts";
import { AgentTracker } from "./views/agent-tracker.ts";
import { toSessionEntry, toStateEntry } from "./views/cluster-history.ts";

export interface PageRecordsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Identifies this run of the hub. */
  readonly runId: string;
  readonly transitions: TransitionHistory;
  readonly audit: AuditLog;
  readonly clusters: Pick<ClusterRegistry, "get" | "list">;
  readonly health: Pick<ClusterHealth, "get">;
}

/** Receives changes of the records. */
export interface RecordsListener {
  /** The cluster's agent may have changed. */
  changed(cluster: string): void;
  /** The cluster's history has a new entry. */
  happened(cluster: string, entry: HistoryEntry): void;
}

/** The records. `agents` and `sessions` have the handlers of session events, `sink` receives the transitions. */
export class PageRecords {
  readonly agents: AgentTracker;
  readonly sessions: SessionHistory;
  readonly strips: AvailabilityStrips;
  readonly incidents: IncidentLedger;
  readonly transitions: TransitionHistory;
  #listener: RecordsListener | undefined;

  constructor(options: PageRecordsOptions) {
    const { store, clock, random, log, runId, transitions, audit, clusters, health } = options;
    this.transitions = transitions;
    this.agents = new AgentTracker(
      (cluster) => this.#listener?.changed(cluster),
      () => clock.nowMs(),
    );
    this.sessions = new SessionHistory({
      store,
      clock,
      random,
      log,
      runId,
      isRegistered: (cluster) => clusters.get(cluster) !== undefined,
      hasClusters: () => clusters.list().length > 0,
      onEvent: (event) => this.#listener?.happened(event.cluster, toSessionEntry(event)),
    });
    this.strips = new AvailabilityStrips({ clock, transitions, sessions: this.sessions });
    this.incidents = new IncidentLedger({
      nowMs: () => clock.nowMs(),
      outageOf: (cluster) => this.agents.outageOf(cluster),
      describe: (cluster) => describe(health, cluster),
    });
    audit.listen((record) => {
      const event = toAdministeredEvent(record);
      if (event !== undefined) this.#listener?.happened(event.cluster, toSessionEntry(event));
    });
  }

  readonly sink: HealthSink = {
    incident: (step) => this.incidents.incident(step),
    transition: (transition) => {
      for (const sink of [this.agents, this.strips, this.incidents]) sink.transition(transition);
      this.#listener?.happened(transition.cluster, toStateEntry(transition));
    },
  };

  /** Sets the only listener. */
  listen(listener: RecordsListener): void {
    this.#listener = listener;
  }
}

function describe(health: Pick<ClusterHealth, "get">, cluster: string): PresentCluster | undefined {
  const view = health.get(parseClusterId(cluster));
  return view && { reason: view.connection.reason, region: view.region, lastSeenMs: view.lastSeenMs };
}
