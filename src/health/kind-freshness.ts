// SPDX-License-Identifier: Apache-2.0
// How old the rows of one kind are (HE3, L9). A kind speaks for itself alone: nothing here changes a cluster's state.
import { toDetail } from "./reason.ts";

/** How an agent follows a kind; `unknown` is a word of a newer agent. */
export type KindFollowing = "listing" | "watching" | "polling" | "notInstalled" | "failed" | "unknown";

/** One kind's status as an agent tells it. Durations are as of receipt. */
export interface KindReport {
  /** The text of the resource id. */
  readonly resource: string;
  readonly state: KindFollowing;
  /** How old the rows are; undefined while there was no complete list. */
  readonly currentMsAgo: number | undefined;
  readonly fault: string;
  readonly error: string;
}

/** What is remembered of a kind. */
export interface KindRecord {
  readonly state: KindFollowing;
  readonly fault: string;
  readonly text: string;
  /** The session that said so. */
  readonly epoch: number;
  /** True while the rows are as fresh as what that session says: a watch is under way. */
  readonly isFollowed: boolean;
  /** It was followed until the API server was lost, and fails by that since (HE20). */
  readonly isCutOff?: boolean;
  /** The last moment, by the receiver's clock, at which the rows are known to have been current; undefined = no complete list yet. */
  readonly asOfMs: number | undefined;
}

/** How fresh a kind's rows are. */
export interface KindFreshness {
  readonly resource: string;
  readonly state: KindFollowing;
  /** True: followed, in a live session whose API server answers. False: as of `ageMs` ago. */
  readonly isCurrent: boolean;
  /** Age of the rows; undefined where there was never a complete list. */
  readonly ageMs: number | undefined;
  /** "" without one. */
  readonly fault: string;
  readonly text: string;
}

/** Kinds remembered of one cluster. The largest clusters known serve under 1,000; what an agent tells beyond this is not kept. */
const maxKindCount = 4_096;

/** Faults of a kind that may be the API server's own: it was cut off with it, and has not said yet that it goes on. */
export const cutOffFaults: ReadonlySet<string> = new Set(["dns", "tcp", "tls", "timeout", "unauthorized"]);

/** These records with those reports in their place. `vouchedMs`: until when the session says that its watches were current. */
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
    const toldMs = reportedMs ?? known?.asOfMs;
    // Cut off with the API server: it was followed until then, and is no older because it is told again (HE20).
    const cutOffMs = known?.isCutOff === true ? known.asOfMs : vouchedMs;
    const asOfMs = isFollowed ? nowMs : isCutOff ? laterOf(toldMs, cutOffMs) : toldMs;
    after.set(resource, { state, fault: toDetail(fault), text: toDetail(error), epoch, isFollowed, isCutOff, asOfMs });
  }
  return after;
}

function laterOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

/** These records when the session that followed them is over: rows stay, as of the last moment it vouched for (L4, L9). */
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

/** Those of these records that are of interest: a kind that nobody follows any more, and that has no rows, is not (HE21). */
export function keepKinds(
  before: ReadonlyMap<string, KindRecord>,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, KindRecord> {
  return new Map([...before].filter(([resource]) => wanted.has(resource)));
}

/** The moment at which a kind is judged. */
export interface FreshnessMoment {
  /** Until when the session says that its watches were current. */
  readonly vouchedMs: number;
  readonly isVouched: boolean;
  /** No row is newer than this: the cluster was paused then (HE16). Undefined: it is not. */
  readonly latestMs?: number | undefined;
  readonly nowMs: number;
}

/** What is known of a kind at this moment. */
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
