// SPDX-License-Identifier: Apache-2.0
// The audit record, its hash and its stored form. Appending is in audit-log.ts.
import { createHash } from "node:crypto";
import type { ValueOf } from "../../store/table.ts";
import type { auditRecords } from "../../store/tables.ts";

/** The author of a change. */
export interface Actor {
  readonly user: string;
  /** Id of the token that authenticated the actor; "" for the hub itself. */
  readonly tokenId: string;
  /** The caller's address; "" for the hub itself. */
  readonly address: string;
  readonly requestId: string;
}

/** The actor of changes that the hub makes by itself (AU2). */
export const hubActor: Actor = { user: "system:hub", tokenId: "", address: "", requestId: "" };

/** The actor of an agent that joins with a token (AU2). */
export function joiningActor(joinTokenId: string): Actor {
  return { user: "system:agent", tokenId: joinTokenId, address: "", requestId: "" };
}

/** Every administrative change (AU1). A name is never reused for another change: stored records keep it. */
export type AuditAction =
  | "cluster.join"
  | "cluster.import"
  | "cluster.approve"
  | "cluster.accept"
  | "cluster.pause"
  | "cluster.resume"
  | "cluster.label"
  | "cluster.rotate"
  | "cluster.key"
  | "cluster.remove"
  | "joinToken.create"
  | "joinToken.revoke"
  | "token.create"
  | "token.revoke"
  | "token.login"
  | "token.logout"
  | "savedQuery.create"
  | "savedQuery.update"
  | "savedQuery.delete"
  | "standingQuery.create"
  | "standingQuery.update"
  | "standingQuery.delete"
  | "standingQuery.pause"
  | "standingQuery.resume"
  | "standingQuery.suspend"
  | "application.create"
  | "application.grant"
  | "application.delete"
  | "audit.trim";

/** Fields of a target by name. Never a secret (AU3). */
export type AuditFields = Readonly<Record<string, string>>;

/** One change as its caller describes it. The record omits fields that are equal before and after. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly targetKind: "cluster" | "token" | "joinToken" | "savedQuery" | "standingQuery" | "application" | "audit";
  readonly target: string;
  readonly before: AuditFields;
  readonly after: AuditFields;
}

/** A stored record. `oldValue` and `newValue` are JSON objects, kept as text because the hash covers the text. */
export interface AuditRecord {
  readonly seq: number;
  /** The hub's wall clock. Records are ordered by `seq`, not by time. */
  readonly atMs: number;
  readonly actor: Actor;
  readonly action: string;
  readonly targetKind: string;
  readonly target: string;
  readonly oldValue: string;
  readonly newValue: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** The record that follows `previousHash`, with its hash (AU4). */
export function createAuditRecord(
  entry: AuditEntry,
  place: { readonly seq: number; readonly atMs: number; readonly actor: Actor; readonly previousHash: string },
): AuditRecord {
  const { action, targetKind, target, before, after } = entry;
  const oldValue = JSON.stringify(fieldsThatDiffer(before, after));
  const newValue = JSON.stringify(fieldsThatDiffer(after, before));
  const record = { ...place, action, targetKind, target, oldValue, newValue };
  return { ...record, hash: hashRecord(record) };
}

/** The SHA-256 of the record's contents (AU4). */
export function hashRecord(record: Omit<AuditRecord, "hash">): string {
  const { previousHash, seq, atMs, actor, action, targetKind, target, oldValue, newValue } = record;
  const { user, tokenId, address, requestId } = actor;
  const hashed = [previousHash, seq, atMs, user, tokenId, address, requestId, action, targetKind, target];
  return createHash("sha256")
    .update(JSON.stringify([...hashed, oldValue, newValue]))
    .digest("hex");
}

function fieldsThatDiffer(fields: AuditFields, others: AuditFields): AuditFields {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => others[name] !== value));
}

/** Digits of a sequence number in a key. The largest safe integer has 16. */
const seqDigits = 16;

/** The id of a stored record. Ids sort like their sequence numbers. */
export function auditId(seq: number): string {
  return String(seq).padStart(seqDigits, "0");
}

export function toAuditValue(record: AuditRecord): ValueOf<typeof auditRecords> {
  const { atMs, actor, action, targetKind, target, oldValue, newValue, previousHash, hash } = record;
  return {
    at_ms: atMs,
    actor: actor.user,
    token_id: actor.tokenId,
    address: actor.address,
    request_id: actor.requestId,
    action,
    target_kind: targetKind,
    target,
    old_value: oldValue,
    new_value: newValue,
    previous_hash: previousHash,
    hash,
  };
}

export function fromAuditValue(id: string, value: ValueOf<typeof auditRecords>): AuditRecord {
  return {
    seq: Number(id),
    atMs: value.at_ms,
    actor: { user: value.actor, tokenId: value.token_id, address: value.address, requestId: value.request_id },
    action: value.action,
    targetKind: value.target_kind,
    target: value.target,
    oldValue: value.old_value,
    newValue: value.new_value,
    previousHash: value.previous_hash,
    hash: value.hash,
  };
}
