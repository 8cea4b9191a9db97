// SPDX-License-Identifier: Apache-2.0

import { hasCode } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { SessionDoor } from "../../rpc/session/session-service.ts";
import { parseMetadata } from "../../session/hub/parse-metadata.ts";
import type { ClusterRegistration } from "../clusters/cluster-registration.ts";
import { FailedAttempts } from "../joining/failed-attempts.ts";

export interface JoinCallOptions {
  readonly clusterRegistration: ClusterRegistration;
  /** The hub's name, which agents check in a challenge (SE6). */
  readonly hubName: string;
  readonly clock: Clock;
}

/** `Join`, which needs no authentication: failed calls are limited by address (RP52). */
export function createJoinCall({ clusterRegistration, hubName, clock }: JoinCallOptions): SessionDoor["join"] {
  const failures = new FailedAttempts(clock, "joins");
  return async ({ metadata, joinToken, clusterId, publicKey, clusterUid }, address) => {
    failures.assertAllowed(address);
    try {
      const request = { joinToken, clusterId, publicKey, clusterUid, metadata: parseMetadata(metadata) };
      const record = await clusterRegistration.join(request);
      return { clusterId: record.id, hubName, isPending: !record.isApproved };
    } catch (reason) {
      if (isCallersFault(reason)) failures.noteFailure(address);
      throw reason;
    }
  };
}

/** False for failures of the hub: agents retry after them and must not be locked out. */
function isCallersFault(reason: unknown): boolean {
  const codes = ["UNAUTHENTICATED", "PERMISSION_DENIED", "INVALID_ARGUMENT"] as const;
  return codes.some((code) => hasCode(reason, code));
}
