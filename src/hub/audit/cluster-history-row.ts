// SPDX-License-Identifier: Apache-2.0
import type { Write } from "../../store/store.ts";
import { historyId } from "../history/history-rows.ts";
import { type SessionHistoryEvent, toSessionEventWrite } from "../history/session-history.ts";
import type { AuditRecord } from "./audit-record.ts";

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

/** The record as an event of its cluster's history (AU9); undefined for targets other than clusters. */
export function toAdministeredEvent(record: AuditRecord): SessionHistoryEvent | undefined {
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
    return [toSessionEventWrite(event, [workspace, event.cluster, historyId(event.atMs, record.seq, "audit")])];
  });
}
