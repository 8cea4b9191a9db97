// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import type { AuditAction, AuditEntry } from "./audit-record.ts";

/** Hexadecimal digits of a public key's fingerprint: 64 bits (AU3). */
const fingerprintDigits = 16;

/** The entries of an update, one per administrative field that differs. Fields that sessions report are not audited. */
export function describeClusterUpdate(before: ClusterRecord, after: ClusterRecord): readonly AuditEntry[] {
  const old = clusterFields(before);
  const changed = clusterFields(after);
  return clusterFieldNames
    .filter((field) => old[field] !== changed[field])
    .map((field) => ({
      action: toAction(field, before, after),
      targetKind: "cluster",
      target: after.id,
      before: { [field]: old[field] },
      after: { [field]: changed[field] },
    }));
}

/** The entry of a registration. */
export function describeNewCluster(record: ClusterRecord, action: "cluster.join" | "cluster.import"): AuditEntry {
  return { action, targetKind: "cluster", target: record.id, before: {}, after: clusterFields(record) };
}

/** The entry of an import that gave a cluster another credential. The credential itself is not in it (AU3). */
export function describeReimport(before: ClusterRecord, after: ClusterRecord): AuditEntry {
  const credential = { credential: "replaced" };
  return {
    ...describeNewCluster(after, "cluster.import"),
    before: clusterFields(before),
    after: { ...clusterFields(after), ...credential },
  };
}

export function describeRemovedCluster(record: ClusterRecord): AuditEntry {
  return {
    action: "cluster.remove",
    targetKind: "cluster",
    target: record.id,
    before: clusterFields(record),
    after: {},
  };
}

type ClusterField = "paused" | "approved" | "labels" | "uid" | "keys";

const clusterFieldNames: readonly ClusterField[] = ["paused", "approved", "labels", "uid", "keys"];

function toAction(field: ClusterField, before: ClusterRecord, after: ClusterRecord): AuditAction {
  switch (field) {
    case "paused":
      return after.pause !== undefined ? "cluster.pause" : "cluster.resume";
    case "approved":
      return "cluster.approve";
    case "labels":
      return "cluster.label";
    case "uid":
      // An imported cluster that did not answer gets its uid from its first session; nothing was replaced.
      return before.clusterUid === "" ? "cluster.import" : "cluster.accept";
    case "keys":
      return "cluster.key";
  }
}

function clusterFields(record: ClusterRecord): Readonly<Record<ClusterField, string>> {
  const { pause, isApproved, labels, clusterUid, keys } = record;
  return {
    paused: String(pause !== undefined),
    approved: String(isApproved),
    labels: [...labels]
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(","),
    uid: clusterUid,
    keys: keys.map(({ publicKey, state }) => `${fingerprintOf(publicKey)} ${state}`).join(","),
  };
}

function fingerprintOf(publicKey: Uint8Array): string {
  return createHash("sha256").update(publicKey).digest("hex").slice(0, fingerprintDigits);
}
