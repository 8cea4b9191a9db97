// SPDX-License-Identifier: Apache-2.0
import type { ContextValues } from "@connectrpc/connect";
import { callerOf, callOf, peerHostOf } from "../../rpc/server/call-context.ts";
import type { Actor } from "./audit-record.ts";

/** The authenticated caller as the actor of an audit record. */
export function actorOf(values: ContextValues): Actor {
  const { subject, tokenId } = callerOf(values);
  return { user: subject.user, tokenId, address: peerHostOf(values), requestId: callOf(values).requestId };
}
