// SPDX-License-Identifier: Apache-2.0
// Groups simultaneous losses into one incident (HE11), so that 60 clusters lost at once cause one notice.
import type { ClusterId } from "../model/cluster-id.ts";
import { type ConnectionState, isLoss } from "./health-state.ts";
import type { ReasonClass } from "./reason.ts";

/** One outage of one or several clusters lost together. */
export interface Incident {
  /** Counts up from 1 within a process. */
  readonly number: number;
  readonly beganMs: number;
  /** Time of its newest loss. */
  readonly newestLossMs: number;
  /** The reason classes of its losses, in order of first occurrence. */
  readonly reasons: readonly ReasonClass[];
  /** Never "": clusters without a region share none. */
  readonly regions: readonly string[];
  /** Clusters not live again yet, in the order of their loss. */
  readonly out: ReadonlySet<ClusterId>;
  /** Its clusters that are live again. */
  readonly returned: ReadonlySet<ClusterId>;
}

/** The open incidents, newest last. A cluster is out in at most one, so there are at most as many as clusters. */
export interface OpenIncidents {
  readonly open: readonly Incident[];
  readonly lastNumber: number;
}

export const emptyIncidentBook: OpenIncidents = { open: [], lastNumber: 0 };

/** A cluster's current state, or its removal. */
export type IncidentInput =
  | {
      readonly kind: "shown";
      readonly cluster: ClusterId;
      readonly state: ConnectionState;
      readonly reason: ReasonClass;
      /** "": shares a region with no cluster. */
      readonly region: string;
    }
  | { readonly kind: "removed"; readonly cluster: ClusterId };

/** The result of an input. */
export interface IncidentStep {
  readonly book: OpenIncidents;
  /** The incident that began, gained or lost a cluster, or ended; undefined: nothing changed. */
  readonly changed: Incident | undefined;
  readonly effect: "none" | "began" | "joined" | "returned" | "ended";
}

/** One step. A cluster stays in its incident through all states until it is live, paused or removed. */
export function stepIncidents(
  book: OpenIncidents,
  input: IncidentInput,
  { nowMs, joinMs }: { readonly nowMs: number; readonly joinMs: number },
): IncidentStep {
  const present = book.open.find(({ out }) => out.has(input.cluster));
  // A pause is an administrator's decision: the cluster no longer counts as lost (HE16).
  if (input.kind === "removed" || input.state === "live" || input.reason === "paused") {
    return present === undefined ? unchanged(book) : leave(book, present, input);
  }
  if (present !== undefined || !isLoss(input)) return unchanged(book);
  const { cluster, reason, region } = input;
  const joined = book.open.findLast(
    ({ newestLossMs, reasons, regions }) =>
      nowMs - newestLossMs <= joinMs && (reasons.includes(reason) || regions.includes(region)),
  );
  if (joined === undefined) {
    const began: Incident = {
      number: book.lastNumber + 1,
      beganMs: nowMs,
      newestLossMs: nowMs,
      reasons: [reason],
      regions: region === "" ? [] : [region],
      out: new Set([cluster]),
      returned: new Set(),
    };
    return { book: { open: [...book.open, began], lastNumber: began.number }, changed: began, effect: "began" };
  }
  const returned = new Set(joined.returned);
  returned.delete(cluster);
  const grown: Incident = {
    ...joined,
    newestLossMs: nowMs,
    reasons: joined.reasons.includes(reason) ? joined.reasons : [...joined.reasons, reason],
    regions: region === "" || joined.regions.includes(region) ? joined.regions : [...joined.regions, region],
    out: new Set([...joined.out, cluster]),
    returned,
  };
  return { book: replace(book, joined, grown), changed: grown, effect: "joined" };
}

/** The open incident of a lost cluster. */
export function incidentOf(book: OpenIncidents, cluster: ClusterId): Incident | undefined {
  return book.open.find(({ out }) => out.has(cluster));
}

function leave(book: OpenIncidents, present: Incident, input: IncidentInput): IncidentStep {
  const out = new Set(present.out);
  out.delete(input.cluster);
  const returned = input.kind === "removed" ? present.returned : new Set([...present.returned, input.cluster]);
  const changed: Incident = { ...present, out, returned };
  if (out.size > 0) return { book: replace(book, present, changed), changed, effect: "returned" };
  return { book: { ...book, open: book.open.filter((other) => other !== present) }, changed, effect: "ended" };
}

function replace(book: OpenIncidents, old: Incident, by: Incident): OpenIncidents {
  return { ...book, open: book.open.map((incident) => (incident === old ? by : incident)) };
}

function unchanged(book: OpenIncidents): IncidentStep {
  return { book, changed: undefined, effect: "none" };
}
