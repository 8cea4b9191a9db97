// SPDX-License-Identifier: Apache-2.0
// The hub's one monitor of connections: it steps each cluster's machine by what sessions tell and by its own timer, and tells
// whoever wants to know. It runs the same with no subscriber, with one and with 500 (L11, R-25).
import type { Clock } from "../../base/clock.ts";
import { DueTimer } from "../../base/due-timer.ts";
import type { Metrics } from "../../base/metrics.ts";
import { passingGuard, type TaskGuard } from "../../base/task-guard.ts";
import { stepHealth } from "../../health/connection-state.ts";
import type { HealthInput, PauseFacts } from "../../health/health-input.ts";
import { createHealthState, type HealthState, kindFreshness } from "../../health/health-state.ts";
import {
  emptyIncidentBook,
  type IncidentBook,
  type IncidentInput,
  type IncidentStep,
  incidentOf,
  stepIncidents,
} from "../../health/incidents.ts";
import type { KindFreshness } from "../../health/kind-freshness.ts";
import type { Thresholds } from "../../health/thresholds.ts";
import { type Transition, transitionBetween } from "../../health/transition.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import { ChangeBuffer } from "./change-buffer.ts";
import { type ClusterView, type HealthChange, isSameView } from "./cluster-view.ts";
import { HealthMetrics } from "./health-metrics.ts";

/** Told of everything at once and in order. Returns quickly and does not throw: it stands in the path of detection. */
export interface HealthSink {
  transition?(transition: Transition): void;
  incident?(step: IncidentStep): void;
  /** A cluster is catching up and not proven equal: a comparison of digests would tell whether it is. */
  proofWanted?(cluster: ClusterId, epoch: number): void;
}

export interface ClusterHealthOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly thresholds: Thresholds;
  /** Runs each sink and each step that a timer begins; left out, what fails there reaches the caller. */
  readonly guard?: TaskGuard;
  readonly sinks?: readonly HealthSink[];
  /** Names this run of the hub in stream positions. */
  readonly runId: string;
  /** Changes kept for readers who come back. Some 300 bytes each. */
  readonly recentCount?: number;
}

/** What is known of a cluster besides its connection. */
export interface ClusterStart {
  /** "" = none. */
  readonly region?: string;
  readonly pause?: PauseFacts | undefined;
  /** How long ago its agent was last heard by an earlier run of the hub; undefined = never. */
  readonly lastSeenMsAgo?: number | undefined;
}

interface Entry {
  readonly cluster: ClusterId;
  region: string;
  state: HealthState;
  view: ClusterView;
  /** By the wall clock, never before that of the transition before. */
  lastAtMs: number;
  leaveTimer: () => void;
  /** The epoch whose proof was asked for since the cluster last began to catch up. */
  askedEpoch: number | undefined;
}

const defaultRecentCount = 1_024;

/** Connection states of all clusters of this hub. Between `start` and `stop` an input that ages changes the state at its bound. */
export class ClusterHealth {
  readonly runId: string;
  readonly #options: ClusterHealthOptions;
  readonly #clock: Clock;
  readonly #metrics: HealthMetrics;
  readonly #guard: TaskGuard;
  readonly #entries = new Map<ClusterId, Entry>();
  readonly #timer: DueTimer<Entry>;
  readonly #buffers = new Set<ChangeBuffer>();
  #recent: HealthChange[] = [];
  #incidents: IncidentBook = emptyIncidentBook;
  #position = 0;

  constructor(options: ClusterHealthOptions) {
    this.#options = options;
    this.runId = options.runId;
    this.#clock = options.clock;
    this.#metrics = new HealthMetrics(options.metrics);
    this.#guard = options.guard ?? passingGuard;
    this.#timer = new DueTimer(options.clock, (entry) => {
      const { cluster } = entry;
      this.#guard.run("health step", () => this.#step(entry, { kind: "timePassed" }), { cluster });
    });
  }

  start(): void {
    this.#timer.start();
  }

  /** Lets go of the timer. What fell due meanwhile is judged at the next start or input. */
  stop(): void {
    this.#timer.stop();
  }

  /** The position of the newest change. */
  get position(): number {
    return this.#position;
  }

  /** Begins to judge a cluster. One that is known keeps its state. */
  add(cluster: ClusterId, { region = "", pause, lastSeenMsAgo }: ClusterStart = {}): void {
    if (this.#entries.has(cluster)) return;
    const { thresholds } = this.#options;
    const state = createHealthState({ thresholds, nowMs: this.#clock.nowMs(), lastSeenMsAgo, pause });
    const { shown, lastSeenMs, currentUntilMs } = state;
    const view: ClusterView = {
      cluster,
      region,
      connection: shown,
      pause: state.pause,
      lastSeenMs,
      currentUntilMs,
      incident: undefined,
    };
    const entry: Entry = {
      cluster,
      region,
      state,
      view,
      lastAtMs: 0,
      leaveTimer: () => undefined,
      askedEpoch: undefined,
    };
    this.#entries.set(cluster, entry);
    this.#metrics.began(view);
    this.#stepIncidents({ kind: "shown", cluster, state: shown.state, reason: shown.reason, region });
    entry.view = this.#viewOf(entry);
    this.#tell(entry.cluster, entry.view, undefined);
  }

  /** Forgets a cluster. Its history stays until retention ends. */
  remove(cluster: ClusterId): void {
    const entry = this.#entries.get(cluster);
    if (entry === undefined) return;
    entry.leaveTimer();
    this.#entries.delete(cluster);
    this.#stepIncidents({ kind: "removed", cluster });
    const change = this.#tell(cluster, undefined, undefined);
    this.#metrics.changed(change, entry.view.connection.state, this.#clock.nowMs());
  }

  setRegion(cluster: ClusterId, region: string): void {
    const entry = this.#entries.get(cluster);
    if (entry === undefined) return;
    entry.region = region;
    this.#step(entry, { kind: "timePassed" });
  }

  /** Takes an input of a cluster; one that is not known has none. A bound that was passed before is a change of its own. */
  feed(cluster: ClusterId, input: HealthInput): void {
    const entry = this.#entries.get(cluster);
    if (entry === undefined) return;
    this.#step(entry, { kind: "timePassed" });
    // Kinds that were being listed when a proof was last asked for were not in it.
    if (input.kind === "kindStatuses") entry.askedEpoch = undefined;
    if (input.kind !== "timePassed") this.#step(entry, input);
    if (input.kind === "sessionBegan") this.#metrics.sessionBegan(cluster);
    if (input.kind === "kindStatuses") this.#metrics.setFailingKinds(cluster, countFailing(entry.state));
  }

  /** Bytes or objects that a session sent; counted where they are the price of an outage. */
  noteReceived(cluster: ClusterId, received: { readonly objectCount: number; readonly bytes: number }): void {
    this.#metrics.received(cluster, received);
  }

  get(cluster: ClusterId): ClusterView | undefined {
    return this.#entries.get(cluster)?.view;
  }

  /** Every cluster, in the order in which they were added. */
  list(): readonly ClusterView[] {
    return [...this.#entries.values()].map(({ view }) => view);
  }

  /** How fresh each kind of a cluster is now; empty for one that is not known. */
  kinds(cluster: ClusterId): readonly KindFreshness[] {
    const entry = this.#entries.get(cluster);
    return entry === undefined ? [] : kindFreshness(entry.state, this.#clock.nowMs());
  }

  /** How far a cluster has caught up: kinds proven equal, of those that its session follows. */
  progress(cluster: ClusterId): { readonly equalCount: number; readonly followedCount: number } {
    const { session, kinds } = this.#entries.get(cluster)?.state ?? {};
    let [equalCount, followedCount] = [0, 0];
    for (const [resource, { epoch, state }] of kinds ?? []) {
      if (epoch !== session?.epoch || state === "failed" || state === "notInstalled" || state === "unknown") continue;
      followedCount += 1;
      if (session.equalKinds.has(resource)) equalCount += 1;
    }
    return { equalCount, followedCount };
  }

  get incidents(): IncidentBook {
    return this.#incidents;
  }

  /** Every change from now on, in a buffer of the subscriber's own. Whoever subscribes closes it. */
  subscribe(options: { readonly boundCount?: number } = {}): ChangeBuffer {
    const buffer = new ChangeBuffer({
      ...options,
      clock: this.#clock,
      onClose: () => void this.#buffers.delete(buffer),
    });
    this.#buffers.add(buffer);
    return buffer;
  }

  get subscriberCount(): number {
    return this.#buffers.size;
  }

  /** The changes after a position of this run; undefined where they are no longer kept, or it has not been reached. */
  changesAfter(position: number): readonly HealthChange[] | undefined {
    const oldestPosition = this.#position - this.#recent.length;
    if (position < oldestPosition || position > this.#position) return undefined;
    return this.#recent.slice(position - oldestPosition);
  }

  #step(entry: Entry, input: HealthInput): void {
    const nowMs = this.#clock.nowMs();
    const before = entry.state;
    const { state, nextDueMs } = stepHealth(before, input, nowMs);
    entry.state = state;
    entry.leaveTimer();
    entry.leaveTimer =
      nextDueMs === undefined ? () => undefined : this.#timer.push(Math.max(0, nextDueMs - nowMs), entry);
    entry.lastAtMs = Math.max(entry.lastAtMs, Math.round(this.#clock.wallMs()));
    const transition = transitionBetween(entry.cluster, { before, after: state, atMs: entry.lastAtMs });
    const { cluster, region } = entry;
    const isPauseNews = (before.shown.reason === "paused") !== (state.shown.reason === "paused");
    if (transition !== undefined || isPauseNews) {
      const { state: to, reason } = state.shown;
      this.#stepIncidents({ kind: "shown", cluster, state: to, reason, region });
    }
    const oldView = entry.view;
    entry.view = this.#viewOf(entry);
    if (!isSameView(oldView, entry.view)) {
      const change = this.#tell(cluster, entry.view, transition);
      this.#metrics.changed(change, oldView.connection.state, nowMs);
    }
    this.#askForProof(entry);
  }

  #viewOf({ cluster, region, state }: Entry): ClusterView {
    const { shown, pause, lastSeenMs, currentUntilMs } = state;
    const incident = incidentOf(this.#incidents, cluster)?.number;
    return { cluster, region, connection: shown, pause, lastSeenMs, currentUntilMs, incident };
  }

  #tell(cluster: ClusterId, view: ClusterView | undefined, transition: Transition | undefined): HealthChange {
    this.#position += 1;
    const change: HealthChange = { position: this.#position, cluster, view, transition };
    this.#recent.push(change);
    const keptCount = this.#options.recentCount ?? defaultRecentCount;
    if (this.#recent.length > 2 * keptCount) this.#recent = this.#recent.slice(-keptCount);
    for (const buffer of this.#buffers) buffer.push(change);
    if (transition !== undefined) this.#tellSinks("transition", cluster, (sink) => sink.transition?.(transition));
    return change;
  }

  #stepIncidents(input: IncidentInput): void {
    const { incidentJoinMs } = this.#options.thresholds;
    const step = stepIncidents(this.#incidents, input, { nowMs: this.#clock.nowMs(), joinMs: incidentJoinMs });
    this.#incidents = step.book;
    if (step.effect !== "none") this.#tellSinks("incident", input.cluster, (sink) => sink.incident?.(step));
  }

  /** Once each time that a cluster begins to catch up, does so with another session, or has news of its kinds and no list under way. */
  #askForProof(entry: Entry): void {
    const { session, shown } = entry.state;
    if (shown.state !== "catchingUp" || session === undefined) {
      entry.askedEpoch = undefined;
    } else if (!session.isProven && entry.askedEpoch !== session.epoch && !isListing(entry.state)) {
      entry.askedEpoch = session.epoch;
      this.#tellSinks("proofWanted", entry.cluster, (sink) => sink.proofWanted?.(entry.cluster, session.epoch));
    }
  }

  /** One that fails keeps the others from nothing. */
  #tellSinks(what: keyof HealthSink, cluster: ClusterId, tell: (sink: HealthSink) => void): void {
    for (const sink of this.#options.sinks ?? []) this.#guard.run(`health sink ${what}`, () => tell(sink), { cluster });
  }
}

function isListing({ kinds }: HealthState): boolean {
  for (const { state } of kinds.values()) if (state === "listing") return true;
  return false;
}

function countFailing({ kinds }: HealthState): number {
  let failingCount = 0;
  for (const { state } of kinds.values()) if (state === "failed") failingCount += 1;
  return failingCount;
}
