// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { FlotillaError } from "../../base/error.ts";
import { type JoinToken, JoinTokenSchema, JoinTokenService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { callerOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { actorOf } from "../audit/actor-of.ts";
import type { ClusterRegistration } from "../clusters/cluster-registration.ts";
import type { JoinTokenRecord } from "../tokens/join-token-record.ts";

export interface JoinServiceOptions {
  readonly clusterRegistration: ClusterRegistration;
  /** The hub's name, which agents check in a challenge (SE6). */
  readonly hubName: string;
  /** The CA of the hub's self-made certificate in PEM; "" when the operator supplied a certificate. */
  readonly hubCa: () => string;
}

/** JoinTokenService over the registration of clusters. */
export function createJoinTokenService({ clusterRegistration, hubName, hubCa }: JoinServiceOptions): ServiceEntry {
  return serviceEntry(JoinTokenService, {
    async createJoinToken({ description, namePattern, uses, needsApproval, ttlSeconds }, { values }) {
      const ttlMs = ttlSeconds === 0 ? undefined : ttlSeconds * 1_000;
      const { endsAtMs: makerEndsAtMs } = callerOf(values);
      const wanted = { description, namePattern, usesLeft: uses, needsApproval, ttlMs, makerEndsAtMs };
      const { record, text } = await clusterRegistration.joinTokens.create(wanted, actorOf(values));
      return { token: toMessage(record), secret: text, hubName, hubCa: hubCa() };
    },

    async listJoinTokens() {
      const usable = (await clusterRegistration.joinTokens.list()).filter(({ usesLeft }) => usesLeft > 0);
      return { tokens: usable.map(toMessage) };
    },

    async revokeJoinToken({ id }, { values }) {
      if (await clusterRegistration.joinTokens.revoke(id, actorOf(values))) return {};
      throw new FlotillaError(
        "NOT_FOUND",
        "there is no join token with that id; `flotilla join list` shows the usable ones",
      );
    },
  });
}

function toMessage(record: JoinTokenRecord): JoinToken {
  const { id, description, namePattern, usesLeft, needsApproval, createdAtMs, expiresAtMs } = record;
  return create(JoinTokenSchema, {
    id,
    description,
    namePattern,
    usesLeft,
    needsApproval,
    createdAt: timestampFromMs(createdAtMs),
    ...(expiresAtMs === undefined ? {} : { expiresAt: timestampFromMs(expiresAtMs) }),
  });
}
