// SPDX-License-Identifier: Apache-2.0
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AuditRecord } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { formatRelative } from "../output/relative-time.ts";

/** Titles of the columns that `toAuditRow` fills. */
export const auditColumns = ["SEQ", "WHEN", "USER", "ACTION", "TARGET", "CHANGE"] as const;

/** A record as JSON: times in RFC 3339, old and new values as objects. */
export function toAuditObject(record: AuditRecord): JsonObject {
  const { seq, user, tokenId, address, requestId, action, targetKind, target, previousHash, hash } = record;
  return {
    seq: Number(seq),
    at: new Date(atMsOf(record)).toISOString(),
    user,
    tokenId,
    address,
    requestId,
    action,
    targetKind,
    target,
    old: parseFields(record.oldValue),
    new: parseFields(record.newValue),
    previousHash,
    hash,
  };
}

/** A record as a table row. */
export function toAuditRow(record: AuditRecord, nowMs: number): string[] {
  const { seq, user, action, target } = record;
  return [String(seq), formatRelative(atMsOf(record), nowMs), user, action, target, changeText(record)];
}

/** A change prints both values, a creation the new values, a removal the old ones (AU10). */
function changeText({ oldValue, newValue }: AuditRecord): string {
  const [old, changed] = [parseFields(oldValue), parseFields(newValue)];
  const [isCreation, isRemoval] = [Object.keys(old).length === 0, Object.keys(changed).length === 0];
  if (isCreation && isRemoval) return "-";
  if (isCreation) return ["created", valuesText(changed)].filter((part) => part !== "").join(": ");
  if (isRemoval) return ["removed", valuesText(old)].filter((part) => part !== "").join(": ");
  const names = [...new Set([...Object.keys(old), ...Object.keys(changed)])];
  return names.map((name) => `${name}: ${fieldText(old[name], changed[name])}`).join("; ");
}

/** A field without an old value prints only its new value. */
function fieldText(old: JsonValue | undefined, changed: JsonValue | undefined): string {
  return old === undefined ? toText(changed) : `${toText(old)} -> ${toText(changed)}`;
}

/** The fields that have a value. */
function valuesText(fields: JsonObject): string {
  const filled = Object.entries(fields).filter(([, value]) => value !== "");
  return filled.map(([name, value]) => `${name} ${toText(value)}`).join(", ");
}

function toText(value: JsonValue | undefined): string {
  if (value === undefined || value === "") return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Fields as the hub stored them; text that is not a JSON object is shown unchanged. */
function parseFields(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (reason) {
    if (!(reason instanceof SyntaxError)) throw reason;
  }
  return { value: text };
}

function atMsOf({ at }: AuditRecord): number {
  return at === undefined ? 0 : timestampMs(at);
}
