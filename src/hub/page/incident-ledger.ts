// SPDX-License-Identifier: Apache-2.0
// Incidents as a viewer may see them: what an incident says is made of the clusters that the viewer sees, and of nothing else (PG12).
import { create } from "@bufbuild/protobuf";
import { type Incident, IncidentSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import { isLoss } from "../../health/health-state.ts";
import type { IncidentStep } from "../../health/incidents.ts";
import type { Transition } from "../../health/transition.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import type { HealthSink } from "../health/cluster-health.ts";
import type { CaughtUp } from "./outage.ts";
import { endedIncidentMs } from "./page-limits.ts";

export interface IncidentLedgerOptions {
  readonly nowMs: () => number;
  /** The newest loss of a cluster; what it came to may become known after the cluster is back. */
  readonly outageOf: (cluster: string) => { readonly caughtUp: CaughtUp };
  /** What a cluster shows at the moment. */
  readonly describe: (cluster: string) => PresentCluster | undefined;
}

/** What a cluster shows at one moment. */
export interface PresentCluster {
  readonly reason: string;
  readonly region: string;
  readonly lastSeenMs: number | undefined;
}

interface Member {
  readonly lostMs: number;
  /** As of when its rows are while it is out: when it was last heard before it was lost. */
  readonly dataAtMs: number;
  readonly region: string;
  /** What it showed before, until it is told by which reason it was lost. A cluster that was lost before this hub began shows it already. */
  reason: string;
  isReasonTold: boolean;
  returned: { readonly atMs: number; readonly outage: { readonly caughtUp: CaughtUp } } | undefined;
}

type Members = Map<ClusterId, Member>;

/** That a cluster came back from an incident, and how. */
export interface IncidentReturn extends CaughtUp {
  readonly incident: number;
}

/** Incidents that are over and not forgotten yet, at the most: a minute of four ends a second. Beyond, the oldest is forgotten. */
const maxEndedCount = 256;

/** Follows the monitor's incidents cluster by cluster. */
export class IncidentLedger implements HealthSink {
  readonly #options: IncidentLedgerOptions;
  readonly #byNumber = new Map<number, Members>();
  #version = 0;

  constructor(options: IncidentLedgerOptions) {
    this.#options = options;
  }

  /** Another number each time that an incident is another. What only becomes old with time does not change it. */
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
      members.set(cluster, { lostMs: nowMs, dataAtMs, region, reason, isReasonTold: false, returned: undefined });
    }
    for (const [cluster, member] of members) {
      if (changed.returned.has(cluster)) member.returned ??= { atMs: nowMs, outage: this.#options.outageOf(cluster) };
      else if (!changed.out.has(cluster)) members.delete(cluster);
    }
    // Whoever lists them forgets old ones; there may be nobody.
    if (this.#byNumber.size > 2 * maxEndedCount) this.#prune();
  }

  /** Told after the incident that the loss began or joined. */
  transition({ cluster, to, reason }: Transition): void {
    if (!isLoss({ state: to, reason })) return;
    for (const members of this.#byNumber.values()) {
      const member = members.get(cluster);
      if (member === undefined || member.returned !== undefined || member.isReasonTold) continue;
      member.reason = reason;
      member.isReasonTold = true;
      this.#version += 1;
    }
  }

  /** As of when the rows are of a cluster that is out in an incident, however often it was heard since; undefined for one that is not. */
  dataAtMs(cluster: ClusterId, incident: number): number | undefined {
    const member = this.#byNumber.get(incident)?.get(cluster);
    return member?.returned === undefined ? member?.dataAtMs : undefined;
  }

  /** The incidents that are not forgotten and that the cluster came back from. */
  returnsOf(cluster: ClusterId): readonly IncidentReturn[] {
    const returns: IncidentReturn[] = [];
    for (const [incident, members] of this.#byNumber) {
      const returned = members.get(cluster)?.returned;
      if (returned !== undefined) returns.push({ incident, ...returned.outage.caughtUp });
    }
    return returns;
  }

  /** Incidents of the clusters that the viewer sees: open ones, and those over for less than a minute; the oldest first. */
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

  /** Whoever is lost for long is not: an incident is old when all that is seen of it came back long ago. */
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
