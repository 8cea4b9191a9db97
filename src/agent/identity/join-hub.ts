// SPDX-License-Identifier: Apache-2.0
// One join request, and its refusals with advice for the agent's operator.
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import type { ErrorCode } from "../../base/error-codes.ts";
import { quote } from "../../model/text.ts";
import type { AgentIdentity } from "../uplink/uplink-options.ts";
import { hideFromError } from "./hide-from-error.ts";

/** The fields of the request message `Join` (SE5). */
export interface JoinRequestFields {
  readonly joinToken: string;
  readonly clusterId: string;
  /** Raw, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly clusterUid: string;
  readonly metadata: AgentIdentity["metadata"];
}

/** The fields of the response to `Join`. */
export interface JoinResponseFields {
  readonly clusterId: string;
  readonly hubName: string;
  readonly isPending: boolean;
}

/** Sends one request to the hub. Rejects with a FlotillaError, or with the signal's reason. */
export type JoinPort = (request: JoinRequestFields, signal: AbortSignal) => Promise<JoinResponseFields>;

/** `refused`: the same request will be refused again until an operator acts on the error's message. */
export type JoinOutcome =
  | { readonly kind: "joined"; readonly response: JoinResponseFields }
  | { readonly kind: "refused"; readonly error: FlotillaError };

/**
 * Joins once. Rejects only with errors that a retry may get past, and with the signal's reason. No error contains the
 * token (L18).
 */
export async function joinHub(join: JoinPort, request: JoinRequestFields, signal: AbortSignal): Promise<JoinOutcome> {
  try {
    const response = await join(request, signal);
    const fault = faultOf(response, request);
    if (fault === undefined) return { kind: "joined", response };
    return { kind: "refused", error: new FlotillaError("MALFORMED", `the hub ${fault}; check its URL`) };
  } catch (reason) {
    if (isCancellation(signal, reason) || !(reason instanceof FlotillaError)) throw reason;
    const error = hideFromError(reason, [request.joinToken]);
    if (error.next === "retry" || error.next === "resume") throw error;
    return { kind: "refused", error: withAdvice(error, request.clusterId) };
  }
}

function faultOf({ clusterId, hubName }: JoinResponseFields, request: JoinRequestFields): string | undefined {
  if (clusterId !== request.clusterId) return `registered ${quote(clusterId)} instead of ${quote(request.clusterId)}`;
  return hubName === "" ? "did not send its name" : undefined;
}

function adviceFor(code: ErrorCode, clusterId: string): string {
  switch (code) {
    case "UNAUTHENTICATED":
      return `make a join token with \`flotilla cluster join ${clusterId} --token-only\` and put it in the old one's place`;
    case "ALREADY_EXISTS":
      return `another key has this cluster id: use the token of \`flotilla cluster rotate ${clusterId}\`, or give this cluster another id`;
    case "INVALID_ARGUMENT":
    case "PERMISSION_DENIED":
      return "see that cluster id and metadata are right and that the join token is meant for this cluster";
    case "CERTIFICATE_INVALID":
      return "see that the certificate authority given is the hub's own";
    default:
      return "see the hub's log";
  }
}

function withAdvice(error: FlotillaError, clusterId: string): FlotillaError {
  const message = `the hub refused to register ${clusterId}: ${error.message}; ${adviceFor(error.code, clusterId)}`;
  return new FlotillaError(error.code, message, { cause: error, ids: error.ids });
}
