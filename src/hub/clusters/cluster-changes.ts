// SPDX-License-Identifier: Apache-2.0
// Changes of a cluster's record, for `ClusterRegistry.update`. Each returns the changed record.
import { type ClusterRecord, isSameKeyBytes } from "./cluster-record.ts";

/** Pauses the cluster; with undefined it resumes. A paused cluster keeps the actor and time of its pause. */
export function withPause(record: ClusterRecord, pause: ClusterRecord["pause"]): ClusterRecord {
  return (pause === undefined) === (record.pause === undefined) ? record : { ...record, pause };
}

/** Accepts the cluster with this uid as the replacement (SE7). Its grants must be proven before rows are shown (L2). */
export function withReplacement(record: ClusterRecord, clusterUid: string): ClusterRecord {
  return record.clusterUid === clusterUid ? record : { ...record, clusterUid, rbacCompleteAtMs: undefined };
}

/**
 * Adds the key as `next`, replacing an unused `next` key. The first key ends at the first use of the second (SE8). The
 * key is `active` if the cluster has no active one.
 */
export function withKey(record: ClusterRecord, publicKey: Uint8Array): ClusterRecord {
  if (record.keys.some((key) => isSameKeyBytes(key.publicKey, publicKey))) return record;
  const active = record.keys.filter(({ state }) => state === "active");
  return { ...record, keys: [...active, { publicKey, state: active.length === 0 ? "active" : "next" }] };
}

/** Ends all keys at once. Sessions that they authenticated are cut (SE8). */
export function withoutKeys(record: ClusterRecord): ClusterRecord {
  return { ...record, keys: [] };
}
