// SPDX-License-Identifier: Apache-2.0
// Incidents as a viewer may see them: what an incident says is made of the clusters that the viewer sees, and of nothing else (PG12).
import { create } from "@bufbuild/protobuf";
import { type Incident, IncidentSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import type { IncidentStep } from "../../health/incidents.ts";
import type { Transition } from "../../health/transition.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import type { HealthSink } from "../health/cluster-health.ts";
import type { CaughtUpBy } from "./agent-book.ts";
import { endedIncidentMs } from "./page-limits.ts";

export interface IncidentLedgerOptions {
  readonly nowMs: () => number;
  readonly caughtUpBy: (cluster: string) => CaughtUpBy;
  /** What a cluster shows now; for those that were lost before this hub began to look. */
  readonly describe: (cluster: string) => { readonly reason: string; readonly region: string } | undefined;
}

interface Member {
  readonly lostMs: number;
  reason: string | undefined;
  returned: { readonly atMs: number; readonly by: CaughtUpBy } | undefined;
}

type Members = Map<ClusterId, Member>;

/** Incidents that are over and not forgotten yet, at the most: a minute of four ends a second. Beyond, the oldest is forgotten. */
const maxEndedCount = 256;

/** Follows the monitor's incidents cluster by cluster. */
export class IncidentLedger implements HealthSink {
  readonly #options: IncidentLedgerOptions;
  readonly #byNumber = new Map<number, Members>();

  constructor(options: IncidentLedgerOptions) {
    this.#options = options;
  }

  incident({ changed }: IncidentStep): void {
    if (changed === undefined) return;
    const nowMs = this.#options.nowMs();
    const members: Members = this.#byNumber.get(changed.number) ?? new Map();
    this.#byNumber.set(changed.number, members);
    for (const cluster of changed.out) {
      if (members.get(cluster)?.returned === undefined && members.has(cluster)) continue;
      members.set(cluster, { lostMs: nowMs, reason: undefined, returned: undefined });
    }
    for (const [cluster, member] of members) {
      if (changed.returned.has(cluster)) member.returned ??= { atMs: nowMs, by: this.#options.caughtUpBy(cluster) };
      else if (!changed.out.has(cluster)) members.delete(cluster);
    }
  }

  /** Told after the incident that the loss began or joined. */
  transition({ cluster, reason }: Transition): void {
    for (const members of this.#byNumber.values()) {
      const member = members.get(cluster);
      if (member !== undefined && member.returned === undefined) member.reason ??= reason;
    }
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
    const out = seen.filter(([, { returned }]) => returned === undefined);
    const back = seen.filter(([, { returned }]) => returned !== undefined);
    const told = seen.map(([cluster, { reason }]) => {
      const present = this.#options.describe(cluster);
      return { reason: reason ?? present?.reason ?? "", region: present?.region ?? "" };
    });
    return create(IncidentSchema, {
      number,
      beganMs: toMs(Math.min(...seen.map(([, { lostMs }]) => lostMs))),
      reasons: distinct(told.map(({ reason }) => reason)),
      regions: distinct(told.map(({ region }) => region)),
      outIds: out.map(([cluster]) => cluster),
      returnedIds: back.map(([cluster]) => cluster),
      caughtUpBy: back.map(([, { returned }]) => returned?.by ?? ""),
      ...(out.length > 0 ? {} : { endedMs: toMs(endOf(seen)) }),
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
