// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import { hasCode } from "../../base/error.ts";
import type { SessionDoor } from "../../rpc/session/session-service.ts";
import { parseMetadata } from "../../session/hub/parse-metadata.ts";
import { FailedAttempts } from "../failed-attempts.ts";
import type { JoinDesk } from "../fleet/join.ts";

export interface JoinCallOptions {
  readonly joinDesk: JoinDesk;
  /** What agents must find in a challenge (SE6). */
  readonly hubName: string;
  readonly clock: Clock;
}

/** `Join`, which anybody may call: those that fail are limited by address (RP52). */
export function createJoinCall({ joinDesk, hubName, clock }: JoinCallOptions): SessionDoor["join"] {
  const failures = new FailedAttempts(clock, "joins");
  return async ({ metadata, joinToken, clusterId, publicKey, clusterUid }, address) => {
    failures.assertAllowed(address);
    try {
      const wish = { joinToken, clusterId, publicKey, clusterUid, metadata: parseMetadata(metadata) };
      const record = await joinDesk.join(wish);
      return { clusterId: record.id, hubName, isPending: !record.isApproved };
    } catch (reason) {
      if (isCallersFault(reason)) failures.noteFailure(address);
      throw reason;
    }
  };
}

/** False for what the hub itself could not do: an agent that meets it comes again and must find the door open. */
function isCallersFault(reason: unknown): boolean {
  const codes = ["UNAUTHENTICATED", "PERMISSION_DENIED", "INVALID_ARGUMENT"] as const;
  return codes.some((code) => hasCode(reason, code));
}
