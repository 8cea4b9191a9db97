// SPDX-License-Identifier: Apache-2.0
// The JSON body of a delivery. Its fields are a contract with receivers: docs/operations/standing-queries.md.
import { cutText } from "../../model/text.ts";
import type { FoundFleetRow, QueriedObject } from "../rows/fleet-queries.ts";
import { type MemberId, memberIdOf } from "./query-members.ts";
import type { StandingQueryRecord } from "./standing-query-record.ts";

/** The most rows of each list of a delivery: 25 kB at the longest names and messages. */
export const maxSampleCount = 25;

/** The reason and the first sentence of a message are enough to recognise a row. */
const maxMessageBytes = 256;

/** The object that an id stands for. */
export interface MemberKey extends QueriedObject {
  readonly kind: string;
}

/** A row of a delivery. Of a row that left before the hub had seen its key, only the id is known. */
export interface SampleRow extends Partial<MemberKey> {
  readonly id: MemberId;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Rows that entered or left. */
export interface SampledRows {
  /** Exact; without members a net change. */
  readonly count: number;
  /** At most `maxSampleCount` of them. */
  readonly rows: readonly SampleRow[];
}

/** The contents of a delivery. */
export interface DeliveryContent {
  readonly kind: "changed" | "firing" | "resolved";
  readonly total: number;
  /** Of the last evaluation; absent for thresholds. */
  readonly previousTotal?: number;
  /** False if only numbers of rows were compared. */
  readonly isExact: boolean;
  readonly entered?: SampledRows;
  readonly left?: SampledRows;
}

/** The key of a found row, and its kind. */
export function memberKeyOf({ cluster, resource, kind, row }: FoundFleetRow): MemberKey {
  return { cluster, resource, kind, namespace: row.namespace, name: row.name };
}

/** A found row as part of a delivery. */
export function toSample(found: FoundFleetRow): SampleRow {
  const { status, reason, message } = found.row;
  const key = memberKeyOf(found);
  return { id: memberIdOf(key), ...key, status, reason, message: cutText(message, maxMessageBytes) };
}

/** The body of a delivery. */
export function toDeliveryBody(
  delivery: { readonly id: string; readonly atMs: number },
  record: StandingQueryRecord,
  { kind, ...content }: DeliveryContent,
): string {
  const { name, owner, query, condition } = record;
  const threshold =
    condition.on === "threshold"
      ? { threshold: { above: condition.above, clearAt: condition.clearAt, forSeconds: condition.forMs / 1_000 } }
      : {};
  return JSON.stringify({
    version: 1,
    kind,
    delivery: delivery.id,
    at: new Date(delivery.atMs).toISOString(),
    standingQuery: { name, owner: owner.user, query, on: condition.on, ...threshold },
    ...content,
  });
}
