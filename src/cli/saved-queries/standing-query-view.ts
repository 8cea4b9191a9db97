// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type StandingCondition,
  type StandingQuery,
  StandingQuerySchema,
} from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { formatRelative } from "../output/relative-time.ts";

/** Titles of the columns that `toStandingRow` fills. */
export const standingColumns = ["NAME", "OWNER", "PHASE", "ON", "TOTAL", "DELIVERED", "REASON"] as const;

/** A standing query as a table row. */
export function toStandingRow(query: StandingQuery, nowMs: number): string[] {
  const { name, owner, condition, status } = query;
  const { phase = "", reason = "", total, lastDeliveredAt } = status ?? {};
  const delivered = lastDeliveredAt === undefined ? "-" : formatRelative(timestampMs(lastDeliveredAt), nowMs);
  return [name, owner, phase, toConditionText(condition), total === undefined ? "-" : String(total), delivered, reason];
}

/** A standing query as lines of a name and a value. */
export function toStandingLines(query: StandingQuery, nowMs: number): readonly (readonly [string, string])[] {
  const { name, owner, condition, status, intervalSeconds, webhookUrl, description } = query;
  const [, , phase = "", , total = "", delivered = "", reason = ""] = toStandingRow(query, nowMs);
  const { pendingDelivery = "", failedAttemptCount = 0, deliveredCount = 0n, isCountedOnly = false } = status ?? {};
  const lines: readonly (readonly [string, string])[] = [
    ["name", name],
    ["owner", owner],
    ["phase", phase],
    ["reason", reason],
    ["query", query.query],
    ["on", toConditionText(condition)],
    ["total", isCountedOnly ? `${total} (only the number is compared)` : total],
    ["receiver", webhookUrl],
    ["interval", `${intervalSeconds}s`],
    ["deliveries", `${deliveredCount}, last ${delivered}`],
    ["pending", pendingDelivery === "" ? "" : `${pendingDelivery}, ${failedAttemptCount} failed attempts`],
    ["description", description],
  ];
  return lines.filter(([, value]) => value !== "");
}

/** `enter`, or `total > 10 for 300s, clear at 5`. */
export function toConditionText(condition: StandingCondition | undefined): string {
  const { on = "", threshold } = condition ?? {};
  if (threshold === undefined) return on;
  const { above, clearAt = above, forSeconds } = threshold;
  return `total > ${above} for ${forSeconds}s, clear at ${clearAt}`;
}

/** A standing query as JSON: every field. */
export function toStandingObject(query: StandingQuery): JsonObject {
  return toPlainJson(StandingQuerySchema, query);
}
