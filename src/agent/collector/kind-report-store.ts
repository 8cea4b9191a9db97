// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { KindReports, KindStatusReport } from "../uplink/uplink-options.ts";

/** Changes of a report. The store itself sets `resource`, `sinceMs` and `listedAtMs`. */
export type KindReportChange = Partial<Omit<KindStatusReport, "resource" | "sinceMs" | "listedAtMs">>;

/** The reports of all kinds. Collectors write them; the uplink reads them. */
export class KindReportStore implements KindReports {
  readonly #clock: Clock;
  readonly #reports = new Map<string, KindStatusReport>();
  readonly #subscribers = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  list(): readonly KindStatusReport[] {
    return [...this.#reports.values()];
  }

  get(resource: string): KindStatusReport | undefined {
    return this.#reports.get(resource);
  }

  subscribe(onChange: () => void): () => void {
    // A wrapper, so that a function that is subscribed twice is called twice.
    const own = (): void => onChange();
    this.#subscribers.add(own);
    return () => this.#subscribers.delete(own);
  }

  /**
   * Merges changes into a kind's report. An unchanged state keeps its `sinceMs`. Without a change no subscriber is
   * called.
   */
  write(resource: string, change: KindReportChange): void {
    const before = this.#reports.get(resource) ?? this.#createReport(resource);
    const next = { ...before, ...change };
    if (this.#reports.has(resource) && isSameReport(before, next)) return;
    const sinceMs = next.state === before.state ? before.sinceMs : this.#clock.nowMs();
    this.#reports.set(resource, { ...next, sinceMs });
    this.#notify();
  }

  /**
   * The kind's rows are current as of now. Subscribers are called for polls only: a watched kind is as fresh as the
   * session.
   */
  noteCurrent(resource: string): void {
    const report = this.#reports.get(resource);
    if (report === undefined) return;
    this.#reports.set(resource, { ...report, currentAtMs: this.#clock.nowMs() });
    if (report.state === KindState.POLLING) this.#notify();
  }

  /** A watch continues from a list that was completed just now. */
  noteListed(resource: string): void {
    const report = this.#reports.get(resource);
    if (report === undefined) return;
    this.#reports.set(resource, { ...report, listedAtMs: this.#clock.nowMs() });
    this.#notify();
  }

  #notify(): void {
    for (const notify of this.#subscribers) notify();
  }

  #createReport(resource: string): KindStatusReport {
    return {
      resource,
      state: KindState.LISTING,
      version: "",
      sinceMs: this.#clock.nowMs(),
      currentAtMs: undefined,
      listedAtMs: undefined,
      fault: "",
      verb: "",
      error: "",
      refusedCount: 0,
      refusedError: "",
      leftOutCount: 0,
      overrunMs: 0,
    };
  }
}

function isSameReport(a: KindStatusReport, b: KindStatusReport): boolean {
  return (
    a.state === b.state &&
    a.version === b.version &&
    a.fault === b.fault &&
    a.verb === b.verb &&
    a.error === b.error &&
    a.refusedCount === b.refusedCount &&
    a.refusedError === b.refusedError &&
    a.leftOutCount === b.leftOutCount &&
    a.overrunMs === b.overrunMs &&
    (a.currentAtMs === undefined) === (b.currentAtMs === undefined)
  );
}
