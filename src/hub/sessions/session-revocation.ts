// SPDX-License-Identifier: Apache-2.0
import { type Rejection, resumeAfterMs, retryAfterMsOf } from "../../session/hub/session-rejections.ts";
import { type ClusterRecord, isSameKeyBytes } from "../clusters/cluster-record.ts";
import type { AcceptedAgent } from "./live-session.ts";

/**
 * Returns why a live session must end under its cluster's record, or undefined if it may continue (SE8). The record is
 * undefined if the cluster was removed.
 */
export function findRevocation(
  { session: { cluster }, publicKey, clusterUid }: Pick<AcceptedAgent, "session" | "publicKey" | "clusterUid">,
  record: ClusterRecord | undefined,
): Rejection | undefined {
  const isKeyLeft = record?.keys.some((key) => isSameKeyBytes(key.publicKey, publicKey)) ?? false;
  if (record === undefined || !isKeyLeft) {
    const detail = record === undefined ? `${cluster} was removed` : `the key of ${cluster} was revoked`;
    return { reason: "UNAUTHORIZED", retryAfterMs: retryAfterMsOf.UNAUTHORIZED, detail };
  }
  // The agents of these two cases retry at once. They are then judged again, and held with the reason that applies
  // (SE12).
  if (!record.isApproved)
    return { reason: "UNAUTHORIZED", retryAfterMs: resumeAfterMs, detail: `${cluster} is no longer approved` };
  if (record.clusterUid !== "" && record.clusterUid !== clusterUid)
    return {
      reason: "WRONG_CLUSTER",
      retryAfterMs: resumeAfterMs,
      detail: `another cluster was accepted as ${cluster}`,
    };
  return undefined;
}
