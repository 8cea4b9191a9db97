// SPDX-License-Identifier: Apache-2.0
// The age of one kind's rows (HE3, L9). It does not affect the cluster's state.
import { toDetail } from "./reason.ts";

/** How an agent follows a kind; `unknown`: a state of a newer agent. */
export type KindFollowing = "listing" | "watching" | "polling" | "notInstalled" | "failed" | "unknown";

/** An agent's status of one kind. Durations are as of receipt. */
export interface KindReport {
  /** The text of the resource id. */
  readonly resource: string;
  readonly state: KindFollowing;
  /** Age of the rows; undefined before the first complete list. */
  readonly currentMsAgo: number | undefined;
  readonly fault: string;
  readonly error: string;
}

/** The stored status of a kind. */
export interface KindRecord {
  readonly state: KindFollowing;
  readonly fault: string;
  readonly text: string;
  /** The session that reported it. */
  readonly epoch: number;
  /** True while a watch runs: the rows are as fresh as the session's heartbeats. */
  readonly isFollowed: boolean;
  /** It was watched until the API server was lost, and has failed since because of that (HE20). */
  readonly isCutOff?: boolean;
  /**
   * The last time, on the receiver's clock, at which the rows were known to be current; undefined before the first
   * complete list.
   */
  readonly asOfMs: number | undefined;
}

/** The freshness of a kind's rows. */
export interface KindFreshness {
  readonly resource: string;
  readonly state: KindFollowing;
  /** True: watched, in a live session whose API server answers. False: as of `ageMs` ago. */
  readonly isCurrent: boolean;
  /** Age of the rows; undefined without a complete list. */
  readonly ageMs: number | undefined;
  /** "" if none. */
  readonly fault: string;
  readonly text: string;
}

/** Maximum kinds kept per cluster. The largest known clusters serve under 1,000; further reports are ignored. */
const maxKindCount = 4_096;

/** Faults of a kind that the loss of its API server can have caused, until the kind is followed again. */
export const cutOffFaults: ReadonlySet<string> = new Set(["dns", "tcp", "tls", "timeout", "unauthorized"]);

/** The records updated with the reports. `vouchedMs`: time up to which the session's watches were current. */
export function recordKinds(
  before: ReadonlyMap<string, KindRecord>,
  reports: readonly KindReport[],
  { epoch, vouchedMs, nowMs }: { readonly epoch: number; readonly vouchedMs: number; readonly nowMs: number },
): ReadonlyMap<string, KindRecord> {
  const after = new Map(before);
  for (const { resource, state, currentMsAgo, fault, error } of reports) {
    if (!after.has(resource) && after.size >= maxKindCount) continue;
    const isFollowed = state === "watching";
    const reportedMs = currentMsAgo === undefined ? undefined : nowMs - currentMsAgo;
    const known = after.get(resource);
    const wasFollowed = known?.epoch === epoch && (known.isFollowed || known.isCutOff === true);
    const isCutOff = wasFollowed && state === "failed" && cutOffFaults.has(fault);
    const latestReportedMs = reportedMs ?? known?.asOfMs;
    // Lost together with the API server: watched until then, and a repeated report does not change that (HE20).
    const cutOffMs = known?.isCutOff === true ? known.asOfMs : vouchedMs;
    const asOfMs = isFollowed ? nowMs : isCutOff ? laterOf(latestReportedMs, cutOffMs) : latestReportedMs;
    after.set(resource, { state, fault: toDetail(fault), text: toDetail(error), epoch, isFollowed, isCutOff, asOfMs });
  }
  return after;
}

function laterOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

/** The records after their session has ended: rows stay, as of the last time they were known to be current (L4, L9). */
export function freezeKinds(
  before: ReadonlyMap<string, KindRecord>,
  vouchedMs: number,
): ReadonlyMap<string, KindRecord> {
  const after = new Map<string, KindRecord>();
  for (const [resource, record] of before) {
    const asOfMs = asOf(record, vouchedMs);
    after.set(resource, { ...record, isFollowed: false, asOfMs });
  }
  return after;
}

/** The records of the wanted kinds only: kinds without rows that are no longer followed are dropped (HE21). */
export function keepKinds(
  before: ReadonlyMap<string, KindRecord>,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, KindRecord> {
  return new Map([...before].filter(([resource]) => wanted.has(resource)));
}

/** The time and context of a freshness judgement. */
export interface FreshnessMoment {
  /** Time up to which the session's watches were current. */
  readonly vouchedMs: number;
  readonly isVouched: boolean;
  /** Upper bound of the rows' time: the start of a pause (HE16). Undefined: not paused. */
  readonly latestMs?: number | undefined;
  readonly nowMs: number;
}

/** The freshness of a kind at this time. */
export function freshnessOf(
  resource: string,
  record: KindRecord,
  { vouchedMs, isVouched, latestMs = Number.POSITIVE_INFINITY, nowMs }: FreshnessMoment,
): KindFreshness {
  const { state, fault, text, isFollowed } = record;
  const knownMs = asOf(record, vouchedMs);
  const asOfMs = knownMs === undefined ? undefined : Math.min(knownMs, latestMs);
  return {
    resource,
    state,
    isCurrent: isFollowed && isVouched,
    ageMs: asOfMs === undefined ? undefined : Math.max(0, nowMs - asOfMs),
    fault,
    text,
  };
}

function asOf({ isFollowed, asOfMs }: KindRecord, vouchedMs: number): number | undefined {
  return isFollowed ? Math.max(asOfMs ?? vouchedMs, vouchedMs) : asOfMs;
}
