// SPDX-License-Identifier: Apache-2.0
import type { JoinTokenRecord } from "../tokens/join-token-record.ts";
import type { TokenRecord } from "../tokens/token-record.ts";
import type { AuditEntry, AuditFields } from "./audit-record.ts";

/** The entry of an access token that is created or ends. It does not contain the token's hash (AU3). */
export function describeToken(
  action: "token.create" | "token.revoke" | "token.login" | "token.logout",
  record: TokenRecord,
): AuditEntry {
  const { user, groups, description, expiresAtMs, parentId } = record;
  const fields = {
    user,
    groups: groups.join(","),
    description,
    expires: toTimeText(expiresAtMs),
    ...(parentId === undefined ? {} : { parent: parentId }),
  };
  const isBeginning = action === "token.create" || action === "token.login";
  return { action, targetKind: "token", target: record.id, ...beforeAndAfter(fields, isBeginning) };
}

/**
 * The entry of a join token that is created or revoked. Creating one that replaces a cluster's key is a rotation of
 * that cluster.
 */
export function describeJoinToken(became: "created" | "revoked", record: JoinTokenRecord): AuditEntry {
  const { id, usesLeft, namePattern, needsApproval, description, expiresAtMs, rotated } = record;
  const fields = {
    uses: String(usesLeft),
    namePattern,
    needsApproval: String(needsApproval),
    description,
    expires: toTimeText(expiresAtMs),
  };
  const isBeginning = became === "created";
  const change = beforeAndAfter(fields, isBeginning);
  if (rotated !== undefined && isBeginning)
    return { action: "cluster.rotate", targetKind: "cluster", target: rotated, before: {}, after: { joinToken: id } };
  return {
    action: isBeginning ? "joinToken.create" : "joinToken.revoke",
    targetKind: "joinToken",
    target: id,
    ...change,
  };
}

function beforeAndAfter(fields: AuditFields, isBeginning: boolean): Pick<AuditEntry, "before" | "after"> {
  return isBeginning ? { before: {}, after: fields } : { before: fields, after: {} };
}

function toTimeText(atMs: number | undefined): string {
  return atMs === undefined ? "never" : new Date(atMs).toISOString();
}
