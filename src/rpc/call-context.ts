// SPDX-License-Identifier: Apache-2.0
import { type ContextValues, createContextKey } from "@connectrpc/connect";
import { assert } from "../base/assert.ts";
import type { Logger } from "../base/log.ts";
import type { Subject } from "../model/subject.ts";

/** Who asks, proven by a token. */
export interface Caller {
  readonly tokenId: string;
  readonly subject: Subject;
  /** Aborts when the token is revoked or expires; streams opened with it are cut then. */
  readonly ended: AbortSignal;
  /** Wall clock time at which the token ends; undefined where it does not expire. */
  readonly endsAtMs?: number | undefined;
}

/** One call, as its handler sees it. */
export interface Call {
  readonly requestId: string;
  /** Carries the request id in every line. */
  readonly log: Logger;
}

/** Set on every call before anything of ours runs; pass `contextValues: context.values` to calls further down and the request id goes along. */
export const callKey = createContextKey<Call | undefined>(undefined, { description: "call" });

/** Set once the caller's token is verified. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** The call these values belong to. */
export function callOf(values: ContextValues): Call {
  const call = values.get(callKey);
  assert(call !== undefined, "a handler runs only within a call");
  return call;
}

/** The authenticated caller; every handler has one, because refused calls do not reach it. */
export function callerOf(values: ContextValues): Caller {
  const caller = values.get(callerKey);
  assert(caller !== undefined, "a handler runs only for an authenticated caller");
  return caller;
}
