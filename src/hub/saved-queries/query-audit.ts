// SPDX-License-Identifier: Apache-2.0
// Audit records of queries. They never contain a secret, the name or text of a private query, or the text of a standing
// query: those are their owner's alone (SQ2, SQ9).
import type { CommitOutcome, Fence, Write } from "../../store/store.ts";
import type { Actor, AuditFields } from "../audit/audit-record.ts";
import type { SavedQueryRecord } from "./saved-query-record.ts";
import { conditionText, type StandingQueryRecord } from "./standing-query-record.ts";

/** The administrative changes of queries. */
export type QueryAuditAction =
  | "savedQuery.create"
  | "savedQuery.update"
  | "savedQuery.delete"
  | "standingQuery.create"
  | "standingQuery.update"
  | "standingQuery.delete"
  | "standingQuery.pause"
  | "standingQuery.resume"
  | "standingQuery.suspend";

/** One change. The fields are those of an `AuditEntry`. */
export interface QueryAuditEntry {
  readonly action: QueryAuditAction;
  readonly targetKind: "savedQuery" | "standingQuery";
  readonly target: string;
  readonly before: AuditFields;
  readonly after: AuditFields;
}

/** The audit log as queries use it: writes changes and records in one transaction (AU1). */
export interface QueryAuditLog {
  append(
    writes: readonly Write[],
    describe: () => readonly QueryAuditEntry[],
    actor: Actor,
    options?: { readonly fence?: Fence | undefined },
  ): Promise<CommitOutcome>;
}

/** The target of every private query. */
const privateTarget = "(private)";

/** The change of a saved query; undefined before its creation and after its deletion. */
export function describeSavedQuery(
  before: SavedQueryRecord | undefined,
  after: SavedQueryRecord | undefined,
): QueryAuditEntry {
  const record = after ?? before;
  const action = before === undefined ? "create" : after === undefined ? "delete" : "update";
  return {
    action: `savedQuery.${action}`,
    targetKind: "savedQuery",
    target: record === undefined || record.isPrivate ? privateTarget : record.name,
    before: before === undefined ? {} : savedFields(before),
    after: after === undefined ? {} : savedFields(after),
  };
}

function savedFields({ isPrivate, owner, content }: SavedQueryRecord): AuditFields {
  if (isPrivate) return { owner };
  const { query, description, columns, sort, facets, groupBy } = content;
  return {
    owner,
    query,
    description,
    columns: columns.join(","),
    sort: sort.join(","),
    facets: facets.join(","),
    groupBy: groupBy.join(","),
  };
}

/** The creation or deletion of a standing query. */
export function describeStandingQuery(
  action: "standingQuery.create" | "standingQuery.delete",
  record: StandingQueryRecord,
): QueryAuditEntry {
  const fields = standingFields(record);
  const isCreated = action === "standingQuery.create";
  return {
    action,
    targetKind: "standingQuery",
    target: record.name,
    before: isCreated ? {} : fields,
    after: isCreated ? fields : {},
  };
}

/** An update. Text, secret and path of the URL are named as changed, without their values. */
export function describeStandingUpdate(before: StandingQueryRecord, after: StandingQueryRecord): QueryAuditEntry {
  const unshown = (["query", "secret", "webhookUrl"] as const).filter((name) => before[name] !== after[name]);
  return {
    action: "standingQuery.update",
    targetKind: "standingQuery",
    target: before.name,
    before: standingFields(before),
    after: { ...standingFields(after), ...(unshown.length === 0 ? {} : { changed: unshown.join(",") }) },
  };
}

function standingFields(record: StandingQueryRecord): AuditFields {
  const { owner, description, condition, webhookUrl, intervalMs } = record;
  return {
    owner: owner.user,
    groups: owner.groups.join(","),
    description,
    condition: conditionText(condition),
    receiver: new URL(webhookUrl).origin,
    interval: `${intervalMs / 1_000}s`,
  };
}

/** A pause, a resumption, or a suspension by the hub with its reason. */
export function describeStandingChange(
  action: "standingQuery.pause" | "standingQuery.resume" | "standingQuery.suspend",
  before: StandingQueryRecord,
  after: { readonly groups?: readonly string[]; readonly reason?: string } = {},
): QueryAuditEntry {
  const { name, owner } = before;
  const { groups = owner.groups, reason } = after;
  const word = {
    "standingQuery.pause": "paused",
    "standingQuery.resume": "active",
    "standingQuery.suspend": "suspended",
  };
  return {
    action,
    targetKind: "standingQuery",
    target: name,
    before: { groups: owner.groups.join(",") },
    after: {
      owner: owner.user,
      groups: groups.join(","),
      phase: word[action],
      ...(reason === undefined ? {} : { reason }),
    },
  };
}
