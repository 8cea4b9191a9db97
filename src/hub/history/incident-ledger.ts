// SPDX-License-Identifier: Apache-2.0
// Incidents per viewer: each is built only from the clusters that the viewer may see (PG12).
import { create } from "@bufbuild/protobuf";
import { type Incident, IncidentSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import { isLoss } from "../../health/health-state.ts";
import type { IncidentStep } from "../../health/incidents.ts";
import type { Transition } from "../../health/transition.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import type { HealthSink } from "../health/cluster-health.ts";
import { endedIncidentMs } from "../page/page-limits.ts";
import type { CaughtUp } from "./outage.ts";

export interface IncidentLedgerOptions {
  readonly nowMs: () => number;
  /** The newest outage of a cluster. How it caught up can become known after the cluster has returned. */
  readonly outageOf: (cluster: string) => { readonly caughtUp: CaughtUp };
  /** The cluster's current state. */
  readonly describe: (cluster: string) => PresentCluster | undefined;
}

/** A cluster's state at one moment. */
export interface PresentCluster {
  readonly reason: string;
  readonly region: string;
  readonly lastSeenMs: number | undefined;
}

interface Member {
  readonly lostMs: number;
  /** Time as of which its rows are current during the outage: when it was last heard before the loss. */
  readonly dataAtMs: number;
  readonly region: string;
  /**
   * Its previous reason until the transition supplies the real one. For a cluster lost before this hub started, it is
   * already right.
   */
  reason: string;
  isReasonKnown: boolean;
  returned: { readonly atMs: number; readonly outage: { readonly caughtUp: CaughtUp } } | undefined;
}

type Members = Map<ClusterId, Member>;

/** A cluster's return from an incident. */
export interface IncidentReturn extends CaughtUp {
  readonly incident: number;
}

/** Maximum ended incidents kept: four per second for a minute. Beyond this the oldest is dropped. */
const maxEndedCount = 256;

/** Tracks the monitor's incidents cluster by cluster. */
export class IncidentLedger implements HealthSink {
  readonly #options: IncidentLedgerOptions;
  readonly #byNumber = new Map<number, Members>();
  #version = 0;

  constructor(options: IncidentLedgerOptions) {
    this.#options = options;
  }

  /** Incremented when any incident changes. Ageing does not change it. */
  get version(): number {
    return this.#version;
  }

  incident({ changed }: IncidentStep): void {
    if (changed === undefined) return;
    this.#version += 1;
    const nowMs = this.#options.nowMs();
    const members: Members = this.#byNumber.get(changed.number) ?? new Map();
    this.#byNumber.set(changed.number, members);
    for (const cluster of changed.out) {
      if (members.get(cluster)?.returned === undefined && members.has(cluster)) continue;
      const { lastSeenMs = nowMs, region = "", reason = "" } = this.#options.describe(cluster) ?? {};
      const dataAtMs = Math.min(nowMs, lastSeenMs);
      members.set(cluster, { lostMs: nowMs, dataAtMs, region, reason, isReasonKnown: false, returned: undefined });
    }
    for (const [cluster, member] of members) {
      if (changed.returned.has(cluster)) member.returned ??= { atMs: nowMs, outage: this.#options.outageOf(cluster) };
      else if (!changed.out.has(cluster)) members.delete(cluster);
    }
    // `list` prunes too, but may not be called.
    if (this.#byNumber.size > 2 * maxEndedCount) this.#prune();
  }

  /** Called after the incident that the loss began or joined. */
  transition({ cluster, to, reason }: Transition): void {
    if (!isLoss({ state: to, reason })) return;
    for (const members of this.#byNumber.values()) {
      const member = members.get(cluster);
      if (member === undefined || member.returned !== undefined || member.isReasonKnown) continue;
      member.reason = reason;
      member.isReasonKnown = true;
      this.#version += 1;
    }
  }

  /**
   * Time as of which the rows of a cluster in an open incident are current, however often it was heard since; undefined
   * if it is not in one.
   */
  dataAtMs(cluster: ClusterId, incident: number): number | undefined {
    const member = this.#byNumber.get(incident)?.get(cluster);
    return member?.returned === undefined ? member?.dataAtMs : undefined;
  }

  /** The kept incidents from which the cluster returned. */
  returnsOf(cluster: ClusterId): readonly IncidentReturn[] {
    const returns: IncidentReturn[] = [];
    for (const [incident, members] of this.#byNumber) {
      const returned = members.get(cluster)?.returned;
      if (returned !== undefined) returns.push({ incident, ...returned.outage.caughtUp });
    }
    return returns;
  }

  /** Incidents of visible clusters, oldest first: open ones, and those that ended less than a minute ago. */
  list(canSee: (cluster: string) => boolean): Incident[] {
    this.#prune();
    return [...this.#byNumber].flatMap(([number, members]) => {
      const seen = [...members].filter(([cluster]) => canSee(cluster));
      return seen.length === 0 || this.#isOld(seen) ? [] : [this.#toMessage(number, seen)];
    });
  }

  #toMessage(number: number, seen: readonly (readonly [string, Member])[]): Incident {
    const isOpen = seen.some(([, { returned }]) => returned === undefined);
    return create(IncidentSchema, {
      number,
      beganMs: toMs(Math.min(...seen.map(([, { lostMs }]) => lostMs))),
      reasons: distinct(seen.map(([, { reason }]) => reason)),
      regions: distinct(seen.map(([, { region }]) => region)),
      ...(isOpen ? {} : { endedMs: toMs(endOf(seen)) }),
    });
  }

  /** Old = every visible member returned long ago. */
  #isOld(members: Iterable<readonly [string, Member]>): boolean {
    const all = [...members];
    if (all.some(([, { returned }]) => returned === undefined)) return false;
    return this.#options.nowMs() - endOf(all) >= endedIncidentMs;
  }

  #prune(): void {
    const ended = [...this.#byNumber].filter(([, members]) => [...members.values()].every(({ returned }) => returned));
    for (const [at, [number, members]] of ended.entries())
      if (members.size === 0 || this.#isOld(members) || at < ended.length - maxEndedCount)
        this.#byNumber.delete(number);
  }
}

function endOf(members: readonly (readonly [string, Member])[]): number {
  return Math.max(...members.map(([, { returned }]) => returned?.atMs ?? 0));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== "");
}

function toMs(ms: number): bigint {
  return BigInt(Math.round(ms));
}
