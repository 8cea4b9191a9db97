// SPDX-License-Identifier: Apache-2.0
// Records of sessions and states for the page, kept whether or not there are viewers. Created before the fleet, because
// it observes it.
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { HistoryEntry } from "../../gen/flotilla/page/v1/page_pb.ts";
import type { Store } from "../../store/store.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { toAdministeredEvent } from "../audit/cluster-history-row.ts";
import type { AppliedKind, FleetObserver } from "../fleet/fleet-observer.ts";
import type { HealthSink } from "../health/cluster-health.ts";
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
}

/** Receives changes of the records and answers their questions about the fleet. */
export interface RecordsListener {
  /** The cluster may have changed. */
  changed(cluster: string): void;
  /** A heartbeat of its agent arrived. */
  heard(cluster: string): void;
  /** Rows of the cluster changed. */
  applied(cluster: string, kinds: readonly AppliedKind[], nowMs: number): void;
  happened(cluster: string, entry: HistoryEntry): void;
  isRegistered(cluster: string): boolean;
  hasClusters(): boolean;
  describe(cluster: string): PresentCluster | undefined;
}

/** The records, with the sink and observer that write them. */
export class PageRecords {
  readonly agents: AgentTracker;
  readonly sessions: SessionHistory;
  readonly strips: AvailabilityStrips;
  readonly incidents: IncidentLedger;
  readonly transitions: TransitionHistory;
  readonly sink: HealthSink;
  readonly observer: Partial<FleetObserver>;
  #listener: RecordsListener | undefined;

  constructor(options: PageRecordsOptions) {
    const { clock, transitions } = options;
    this.transitions = transitions;
    this.agents = new AgentTracker(
      (cluster) => this.#listener?.changed(cluster),
      () => clock.nowMs(),
    );
    this.sessions = new SessionHistory({
      ...options,
      isRegistered: (cluster) => this.#listener?.isRegistered(cluster) ?? false,
      hasClusters: () => this.#listener?.hasClusters() ?? false,
      onEvent: (event) => this.#listener?.happened(event.cluster, toSessionEntry(event)),
    });
    this.strips = new AvailabilityStrips({ clock, transitions, sessions: this.sessions });
    this.incidents = new IncidentLedger({
      nowMs: () => clock.nowMs(),
      outageOf: (cluster) => this.agents.outageOf(cluster),
      describe: (cluster) => this.#listener?.describe(cluster),
    });
    options.audit.listen((record) => {
      const event = toAdministeredEvent(record);
      if (event !== undefined) this.#listener?.happened(event.cluster, toSessionEntry(event));
    });
    this.sink = this.#createSink();
    this.observer = this.#createObserver();
  }

  /** Sets the only listener. */
  listen(listener: RecordsListener): void {
    this.#listener = listener;
  }

  #createSink(): HealthSink {
    return {
      incident: (step) => this.incidents.incident(step),
      transition: (transition) => {
        for (const sink of [this.agents, this.strips, this.incidents]) sink.transition(transition);
        this.#listener?.happened(transition.cluster, toStateEntry(transition));
      },
    };
  }

  #createObserver(): Partial<FleetObserver> {
    const { agents, sessions } = this;
    const changed = ({ cluster }: { readonly cluster: string }): void => this.#listener?.changed(cluster);
    return {
      began: (...facts) => {
        agents.observer.began(...facts);
        sessions.observer.began(...facts);
      },
      ended: (...facts) => {
        agents.observer.ended(...facts);
        sessions.observer.ended(...facts);
      },
      rejected: (...facts) => sessions.observer.rejected(...facts),
      heartbeat: (...facts) => {
        agents.observer.heartbeat(...facts);
        this.#listener?.heard(facts[0].cluster);
      },
      kindStatuses: (...facts) => {
        agents.observer.kindStatuses(...facts);
        changed(facts[0]);
      },
      compared: changed,
      queued: changed,
      applied: (session, flush, nowMs) => {
        agents.observer.applied(session, flush, nowMs);
        this.#listener?.applied(session.cluster, flush.kinds, nowMs);
      },
    };
  }
}
