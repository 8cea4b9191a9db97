// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type SavedQuery,
  type SavedQueryContent,
  SavedQuerySchema,
  type StandingConditionSchema,
  type StandingQuery,
  StandingQuerySchema,
  type StandingQueryStatusSchema,
} from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import type { SavedContent, SavedQueryRecord } from "./saved-query-record.ts";
import type { StandingCondition, StandingQueryRecord } from "./standing-query-record.ts";
import type { StandingQueryState } from "./standing-query-state.ts";

export function toSavedQuery(record: SavedQueryRecord): SavedQuery {
  const { name, isPrivate, owner, content, createdAtMs, updatedAtMs, revision } = record;
  const { columns, sort, facets, groupBy, ...texts } = content;
  return create(SavedQuerySchema, {
    name,
    isPrivate,
    owner,
    content: { ...texts, columns: [...columns], sort: [...sort], facets: [...facets], groupBy: [...groupBy] },
    createdAt: timestampFromMs(createdAtMs),
    updatedAt: timestampFromMs(updatedAtMs),
    revision,
  });
}

/** The content of a request; a missing one is empty. */
export function fromContent(content: SavedQueryContent | undefined): SavedContent {
  const { query = "", description = "", columns = [], sort = [], facets = [], groupBy = [] } = content ?? {};
  return { query, description, columns, sort, facets, groupBy };
}

/**
 * A standing query as a viewer sees it. Text, rows and path of the URL are the owner's alone (SQ9). The secret is in no
 * message.
 */
export function toStandingQuery(
  record: StandingQueryRecord,
  state: StandingQueryState | undefined,
  viewer: string,
): StandingQuery {
  const { name, owner, query, description, condition, webhookUrl, intervalMs, createdAtMs, revision } = record;
  const isOwner = viewer === owner.user;
  return create(StandingQuerySchema, {
    name,
    owner: owner.user,
    query: isOwner ? query : "",
    description,
    condition: toCondition(condition),
    webhookUrl: isOwner ? webhookUrl : new URL(webhookUrl).origin,
    intervalSeconds: intervalMs / 1_000,
    createdAt: timestampFromMs(createdAtMs),
    revision,
    status: toStatus(record, state, isOwner),
  });
}

function toCondition(condition: StandingCondition): MessageInitShape<typeof StandingConditionSchema> {
  if (condition.on !== "threshold") return { on: condition.on };
  const { on, above, clearAt, forMs } = condition;
  return { on, threshold: { above: BigInt(above), clearAt: BigInt(clearAt), forSeconds: forMs / 1_000 } };
}

function toStatus(
  record: StandingQueryRecord,
  state: StandingQueryState | undefined,
  isOwner: boolean,
): MessageInitShape<typeof StandingQueryStatusSchema> {
  const { phase, reason, sinceMs } = phaseOf(record, state);
  const { known, pending } = state ?? {};
  const { deliveredCount = 0, deliveredAtMs = 0, isFiring = false } = state ?? {};
  return {
    phase,
    // The reason of a failed evaluation quotes the query.
    reason: isOwner || phase !== "failing" ? reason : "the query cannot be evaluated",
    ...timeField("since", sinceMs),
    ...(known === undefined || !isOwner ? {} : { total: BigInt(known.total), isCountedOnly: !known.isExact }),
    isFiring: isOwner && isFiring,
    deliveredCount: BigInt(deliveredCount),
    ...timeField("lastDeliveredAt", deliveredAtMs),
    pendingDelivery: pending?.id ?? "",
    failedAttemptCount: pending?.failedAttemptCount ?? 0,
    ...timeField("lastAttemptAt", pending?.attemptedAtMs ?? 0),
  };
}

/** The phase that is shown; a pause hides all others but suspended and dead, which a resumption has to end too. */
function phaseOf(
  { isPaused, generation }: StandingQueryRecord,
  state: StandingQueryState | undefined,
): { readonly phase: string; readonly reason: string; readonly sinceMs: number } {
  const { halt, fault = "", pending, known } = state ?? {};
  if (halt?.generation === generation) return { phase: halt.kind, reason: halt.reason, sinceMs: halt.atMs };
  const at = (phase: string, reason = ""): { phase: string; reason: string; sinceMs: number } => ({
    phase,
    reason,
    sinceMs: 0,
  });
  if (isPaused) return at("paused");
  if (pending !== undefined && pending.failedAttemptCount > 0) return at("retrying", pending.error);
  if (fault !== "") return at("failing", fault);
  return at(known === undefined ? "starting" : "active");
}

function timeField<Name extends string>(name: Name, atMs: number): { readonly [Key in Name]?: Timestamp } {
  return atMs === 0 ? {} : ({ [name]: timestampFromMs(atMs) } as { readonly [Key in Name]?: Timestamp });
}
