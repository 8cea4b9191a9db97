// SPDX-License-Identifier: Apache-2.0
import { put, type Write } from "../../store/store.ts";
import { sessionEvents } from "../../store/tables.ts";
import { historyId } from "../history/history-rows.ts";
import type { AuditRecord } from "./audit-record.ts";

/** An administrative change as a line of its cluster's history (AU9). */
export interface AdministeredEvent {
  readonly cluster: string;
  readonly what: "administered";
  readonly atMs: number;
  /** The action of the audit record. */
  readonly reason: string;
  readonly sentence: string;
  readonly agentId: string;
  readonly address: string;
  readonly epoch: number;
}

const verbs: Readonly<Record<string, string>> = {
  "cluster.join": "joined",
  "cluster.import": "imported",
  "cluster.approve": "approved",
  "cluster.accept": "accepted as a replacement",
  "cluster.pause": "paused",
  "cluster.resume": "resumed",
  "cluster.label": "labelled",
  "cluster.rotate": "given a token for another key",
  "cluster.key": "changed in its keys",
  "cluster.remove": "removed",
};

/** The history line of a record; undefined for records of other targets than clusters. */
export function toAdministeredEvent(record: AuditRecord): AdministeredEvent | undefined {
  const { targetKind, target: cluster, action, atMs, actor } = record;
  if (targetKind !== "cluster") return undefined;
  const sentence = `${verbs[action] ?? action} by ${actor.user}`;
  const { address } = actor;
  return { cluster, what: "administered", atMs, reason: action, sentence, agentId: "", address, epoch: 0 };
}

/**
 * The history rows that are committed with the records. Their ids cannot collide with those of a hub run, because
 * `audit` is not a run id.
 */
export function toHistoryWrites(workspace: string, records: readonly AuditRecord[]): readonly Write[] {
  return records.flatMap((record) => {
    const event = toAdministeredEvent(record);
    if (event === undefined) return [];
    const { cluster, atMs, what, reason, sentence, agentId, address, epoch } = event;
    const key = [workspace, cluster, historyId(atMs, record.seq, "audit")];
    return [put(sessionEvents, key, { at_ms: atMs, what, reason, sentence, agent_id: agentId, address, epoch })];
  });
}
