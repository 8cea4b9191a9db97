// SPDX-License-Identifier: Apache-2.0
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import { anonymousSubject } from "../../model/subject.ts";
import { authorize } from "../auth/authorize-call.ts";
import { type CallerAccess, proveCaller } from "../auth/check-access.ts";
import { type DeclaredPermission, isSingle } from "../auth/permission.ts";
import type { Exchange } from "../http/exchange.ts";
import { checkDeclaredLength } from "../http/request-body.ts";
import { connectCodeName, toConnectError } from "../rpc-error.ts";
import { type Caller, callerKey, callOf } from "./call-context.ts";

export interface RpcGateOptions {
  readonly access: CallerAccess;
  readonly permissions: ReadonlyMap<DescMethod, DeclaredPermission>;
  /** A request with one message and a larger declared length is refused unread. */
  readonly maxBytesOf: (method: DescMethod) => number;
  readonly clock: Clock;
  /** Time limit of all checks together. A verifier or authorizer that hangs counts as failed. */
  readonly checkTimeoutMs: number;
}

/**
 * Runs the checks that need no body: a valid token, a declared permission, the caller's right to it, the declared body
 * size. A permission on a named object is checked by the interceptor, once the name is read. Throws a ConnectError.
 */
export async function checkRequest(
  context: HandlerContext,
  exchange: Exchange,
  options: RpcGateOptions,
): Promise<void> {
  exchange.isJudged = true;
  context.signal.addEventListener("abort", () => noteOutcome(context.signal, exchange), { once: true });
  const { requestId } = callOf(context.values);
  const { clock, checkTimeoutMs: limitMs } = options;
  try {
    await withDeadline(() => checkCaller(context, exchange, options), {
      clock,
      limitMs,
      what: "the check of the token",
    });
  } catch (reason) {
    throw toConnectError(reason, requestId);
  }
}

async function checkCaller(context: HandlerContext, exchange: Exchange, options: RpcGateOptions): Promise<void> {
  const declared = options.permissions.get(context.method) ?? { kind: "undeclared" };
  const caller = declared.kind === "public" ? anonymousCaller() : await proveCaller(exchange, options.access);
  await checkPermission(declared, caller, options.access, exchange.log);
  if (isSingle(context.method)) checkDeclaredLength(exchange, options.maxBytesOf(context.method));
  context.values.set(callerKey, caller);
}

async function checkPermission(
  declared: DeclaredPermission,
  { subject }: Caller,
  { authorizer }: CallerAccess,
  log: Logger,
): Promise<void> {
  if (declared.kind === "undeclared") {
    throw new FlotillaError("PERMISSION_DENIED", "the method declares no permission, so every call is denied");
  }
  if (declared.kind === "resource" && declared.nameField === undefined) {
    await authorize(authorizer, subject, declared.attributes, log);
  }
}

/** The caller of a public method: unknown, and without a token that could end. */
function anonymousCaller(): Caller {
  return { tokenId: "", subject: anonymousSubject, ended: new AbortController().signal };
}

/** Connect aborts the context's signal when a call ends: with the failure, or with a bare AbortError after success. */
function noteOutcome(signal: AbortSignal, exchange: Exchange): void {
  const reason: unknown = signal.reason;
  if (exchange.isPeerGone) exchange.code = connectCodeName(Code.Canceled);
  else if (reason instanceof ConnectError) exchange.code = connectCodeName(reason.code);
  else exchange.code = reason instanceof Error && reason.name === "AbortError" ? "ok" : connectCodeName(Code.Internal);
}
