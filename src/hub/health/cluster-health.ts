// SPDX-License-Identifier: Apache-2.0
// The hub's only monitor of connections. It steps each cluster's state machine on session events and its own timer, and
// notifies subscribers. It works the same without subscribers (L11, R-25).

import type { Metrics } from "../../base/metrics.ts";
import { passingGuard, type TaskGuard } from "../../base/task-guard.ts";
import type { Clock } from "../../base/time/clock.ts";
import { DueTimer } from "../../base/time/due-timer.ts";
import { stepHealth } from "../../health/connection-state.ts";
import type { HealthInput, PauseFacts } from "../../health/health-input.ts";
import { createHealthState, type HealthState, kindFreshness } from "../../health/health-state.ts";
import {
  emptyIncidentBook,
  type IncidentInput,
  type IncidentStep,
  incidentOf,
  type OpenIncidents,
  stepIncidents,
} from "../../health/incidents.ts";
import type { KindFreshness } from "../../health/kind-freshness.ts";
import type { Thresholds } from "../../health/thresholds.ts";
import { type Transition, transitionBetween } from "../../health/transition.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import { ChangeBuffer } from "./change-buffer.ts";
import { type ClusterView, type HealthChange, isSameView } from "./cluster-view.ts";
import { HealthMetrics } from "./health-metrics.ts";

/** Receives everything synchronously and in order. Must return quickly and not throw: it is called during detection. */
export interface HealthSink {
  transition?(transition: Transition): void;
  incident?(step: IncidentStep): void;
  /** A cluster is catching up and not yet proven equal: a digest comparison is needed. */
  proofWanted?(cluster: ClusterId, epoch: number): void;
}

export interface ClusterHealthOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly thresholds: Thresholds;
  /** Isolates failures of sinks and timer steps. Left out: they reach the caller. */
  readonly guard?: TaskGuard;
  /** Identifies this run of the hub in stream positions. */
  readonly runId: string;
  /** Changes kept for readers that resume. Some 300 bytes each. */
  readonly recentCount?: number;
}

/** Initial facts of a cluster. */
export interface ClusterStart {
  /** "": no region. */
  readonly region?: string;
  readonly pause?: PauseFacts | undefined;
  /** Time since an earlier run of the hub last heard the agent; undefined: never. */
  readonly lastSeenMsAgo?: number | undefined;
}

interface Entry {
  readonly cluster: ClusterId;
  region: string;
  state: HealthState;
  view: ClusterView;
  /** Wall time of the newest step; never decreases. */
  lastAtMs: number;
  cancelTimer: () => void;
  /** Epoch for which a proof was requested since the cluster last began to catch up. */
  proofRequestedEpoch: number | undefined;
}

const defaultRecentCount = 1_024;

/**
 * Connection states of all clusters of this hub. Between `start` and `stop`, timers change the state when a threshold
 * passes.
 */
export class ClusterHealth {
  readonly runId: string;
  readonly #options: ClusterHealthOptions;
  readonly #clock: Clock;
  readonly #metrics: HealthMetrics;
  readonly #guard: TaskGuard;
  readonly #entries = new Map<ClusterId, Entry>();
  readonly #timer: DueTimer<Entry>;
  readonly #buffers = new Set<ChangeBuffer>();
  readonly #sinks: HealthSink[] = [];
  #recent: HealthChange[] = [];
  #incidents: OpenIncidents = emptyIncidentBook;
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

  /** Adds a sink. Sinks are called in the order in which they were added. */
  addSink(sink: HealthSink): void {
    this.#sinks.push(sink);
  }

  start(): void {
    this.#timer.start();
  }

  /** Stops the timer. Thresholds that pass meanwhile are evaluated at the next start or input. */
  stop(): void {
    this.#timer.stop();
  }

  /** The position of the newest change. */
  get position(): number {
    return this.#position;
  }

  /** Starts judging a cluster. A known one keeps its state. */
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
      cancelTimer: () => undefined,
      proofRequestedEpoch: undefined,
    };
    this.#entries.set(cluster, entry);
    this.#metrics.began(view);
    this.#stepIncidents({ kind: "shown", cluster, state: shown.state, reason: shown.reason, region });
    entry.view = this.#viewOf(entry);
    this.#publish(entry.cluster, entry.view, undefined);
  }

  /** Removes a cluster. Its history stays until retention ends. */
  remove(cluster: ClusterId): void {
    const entry = this.#entries.get(cluster);
    if (entry === undefined) return;
    entry.cancelTimer();
    this.#entries.delete(cluster);
    this.#stepIncidents({ kind: "removed", cluster });
    const change = this.#publish(cluster, undefined, undefined);
    this.#metrics.changed(change, entry.view.connection.state, this.#clock.nowMs());
  }

  setRegion(cluster: ClusterId, region: string): void {
    const entry = this.#entries.get(cluster);
    if (entry === undefined) return;
    entry.region = region;
    this.#step(entry, { kind: "timePassed" });
  }

  /** Applies an input; ignored for an unknown cluster. A threshold that has passed before it is a change of its own. */
  feed(cluster: ClusterId, input: HealthInput): void {
    const entry = this.#entries.get(cluster);
    if (entry === undefined) return;
    this.#step(entry, { kind: "timePassed" });
    // The previous proof request did not cover kinds that were still being listed.
    if (input.kind === "kindStatuses") entry.proofRequestedEpoch = undefined;
    if (input.kind !== "timePassed") this.#step(entry, input);
    if (input.kind === "sessionBegan") this.#metrics.sessionBegan(cluster);
    if (input.kind === "kindStatuses") this.#metrics.setFailingKinds(cluster, countFailing(entry.state));
  }

  /** Counts received bytes and objects while the cluster recovers from an outage. */
  noteReceived(cluster: ClusterId, received: { readonly objectCount: number; readonly bytes: number }): void {
    this.#metrics.received(cluster, received);
  }

  get(cluster: ClusterId): ClusterView | undefined {
    return this.#entries.get(cluster)?.view;
  }

  /** Every cluster, in the order of `add`. */
  list(): readonly ClusterView[] {
    return [...this.#entries.values()].map(({ view }) => view);
  }

  /** The current freshness of each kind; empty for an unknown cluster. */
  kinds(cluster: ClusterId): readonly KindFreshness[] {
    const entry = this.#entries.get(cluster);
    return entry === undefined ? [] : kindFreshness(entry.state, this.#clock.nowMs());
  }

  /** Catch-up progress: kinds proven equal, of those that its session follows. */
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

  get incidents(): OpenIncidents {
    return this.#incidents;
  }

  /** Subscribes to every change from now on, with a buffer of its own. The subscriber must close it. */
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

  /**
   * The changes after a position of this run; undefined if they are no longer kept or the position is in the future.
   */
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
    entry.cancelTimer();
    entry.cancelTimer =
      nextDueMs === undefined ? () => undefined : this.#timer.push(Math.max(0, nextDueMs - nowMs), entry);
    entry.lastAtMs = Math.max(entry.lastAtMs, Math.round(this.#clock.wallMs()));
    const transition = transitionBetween(entry.cluster, { before, after: state, atMs: entry.lastAtMs });
    const { cluster, region } = entry;
    const pauseChanged = (before.shown.reason === "paused") !== (state.shown.reason === "paused");
    if (transition !== undefined || pauseChanged) {
      const { state: to, reason } = state.shown;
      this.#stepIncidents({ kind: "shown", cluster, state: to, reason, region });
    }
    const oldView = entry.view;
    entry.view = this.#viewOf(entry);
    if (!isSameView(oldView, entry.view)) {
      const change = this.#publish(cluster, entry.view, transition);
      this.#metrics.changed(change, oldView.connection.state, nowMs);
    }
    this.#requestProof(entry);
  }

  #viewOf({ cluster, region, state }: Entry): ClusterView {
    const { shown, pause, lastSeenMs, currentUntilMs } = state;
    const incident = incidentOf(this.#incidents, cluster)?.number;
    return { cluster, region, connection: shown, pause, lastSeenMs, currentUntilMs, incident };
  }

  #publish(cluster: ClusterId, view: ClusterView | undefined, transition: Transition | undefined): HealthChange {
    this.#position += 1;
    const change: HealthChange = { position: this.#position, cluster, view, transition };
    this.#recent.push(change);
    const keptCount = this.#options.recentCount ?? defaultRecentCount;
    if (this.#recent.length > 2 * keptCount) this.#recent = this.#recent.slice(-keptCount);
    for (const buffer of this.#buffers) buffer.push(change);
    if (transition !== undefined) this.#notifySinks("transition", cluster, (sink) => sink.transition?.(transition));
    return change;
  }

  #stepIncidents(input: IncidentInput): void {
    const { incidentJoinMs } = this.#options.thresholds;
    const step = stepIncidents(this.#incidents, input, { nowMs: this.#clock.nowMs(), joinMs: incidentJoinMs });
    this.#incidents = step.book;
    if (step.effect !== "none") this.#notifySinks("incident", input.cluster, (sink) => sink.incident?.(step));
  }

  /** Requests a proof once per catch-up and session, and again after kind statuses, unless a kind is being listed. */
  #requestProof(entry: Entry): void {
    const { session, shown } = entry.state;
    if (shown.state !== "catchingUp" || session === undefined) {
      entry.proofRequestedEpoch = undefined;
    } else if (!session.isProven && entry.proofRequestedEpoch !== session.epoch && !isListing(entry.state)) {
      entry.proofRequestedEpoch = session.epoch;
      this.#notifySinks("proofWanted", entry.cluster, (sink) => sink.proofWanted?.(entry.cluster, session.epoch));
    }
  }

  /** A failing sink does not affect the others. */
  #notifySinks(what: keyof HealthSink, cluster: ClusterId, notify: (sink: HealthSink) => void): void {
    for (const sink of this.#sinks) this.#guard.run(`health sink ${what}`, () => notify(sink), { cluster });
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
