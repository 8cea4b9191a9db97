// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ErrorCode } from "../../base/error-codes.ts";
import { isServerFault, KubeError } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { resourcePath } from "../../kube/reflector/kube-resource-path.ts";
import { quote } from "../../model/text.ts";
import { maxObjectBytes } from "../../session/tunnel/tunnel.ts";
import type { AllowedRead } from "./read-policy.ts";

export interface ReadObjectOptions {
  readonly source: KubeSource;
  readonly requestTimeoutMs: number;
}

/**
 * Readable by every authenticated user, whatever RBAC grants: by default the API server does not authorize this path.
 */
const openPath = "/livez";

/**
 * The bytes of the object as JSON, read from the API server now and as the user (TU8). Throws a FlotillaError with a
 * message for that user, or the signal's reason. TOO_LARGE may come after some bytes.
 */
export async function* readObject(
  options: ReadObjectOptions,
  read: AllowedRead,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { gvr, namespace, name, actAs } = read;
  const path = `${resourcePath({ resource: gvr, namespace })}/${encodeURIComponent(name)}`;
  const { source, requestTimeoutMs: deadlineMs } = options;
  try {
    const answer = await source.request({ method: "GET", path, actAs, deadlineMs }, signal);
    let byteCount = 0;
    for await (const bytes of answer.body) {
      byteCount += bytes.length;
      if (byteCount > maxObjectBytes) throw tooLarge(name);
      yield bytes;
    }
  } catch (reason) {
    if (!(reason instanceof KubeError)) throw reason;
    throw toUserError(reason, reason.status === 403 && !(await mayActFor(options, read, signal)));
  }
}

/**
 * Whether the agent may impersonate the user at all. A 403 does not identify the refused party: since Kubernetes 1.36 a
 * refusal of the agent reads like a refusal of the user. So the agent requests, as the user, a path that is open to
 * every user.
 */
async function mayActFor(
  { source, requestTimeoutMs: deadlineMs }: ReadObjectOptions,
  { actAs }: AllowedRead,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { body } = await source.request({ method: "GET", path: openPath, actAs, deadlineMs }, signal);
    for await (const _bytes of body) break;
  } catch (reason) {
    if (!(reason instanceof KubeError)) throw reason;
    return reason.fault !== "forbidden";
  }
  return true;
}

function tooLarge(name: string): FlotillaError {
  return new FlotillaError(
    "TOO_LARGE",
    `${quote(name)} has more than ${maxObjectBytes} bytes; read it with kubectl at its cluster`,
  );
}

/**
 * The API server's message if there is one. A fault of the agent itself is reported as such. The server's address and
 * the request are in the cause only, for the agent's operator.
 */
function toUserError(error: KubeError, isOfAgent: boolean): FlotillaError {
  const { fault, serverMessage, code } = error;
  if (fault === "unauthorized")
    return refusal("UNAVAILABLE", "the API server does not take the agent's own credential", error);
  if (isOfAgent) {
    const sentence = `the agent may not act for users in its cluster (${serverMessage ?? fault}); \`flotilla agent manifest --object-reads\` has the rights it needs`;
    return refusal("PERMISSION_DENIED", sentence, error);
  }
  // A user cannot fix a certificate between agent and API server.
  return refusal(fault === "tls" ? "UNAVAILABLE" : code, serverMessage ?? sentenceOf(error), error);
}

/** The message if the API server sent none that is for users. */
function sentenceOf({ fault, status, message }: KubeError): string {
  if (status !== undefined) return `the API server of the cluster answered ${status} and no reason`;
  if (isServerFault(fault)) return `the API server of the cluster does not answer its agent (${fault})`;
  return message;
}

function refusal(code: ErrorCode, sentence: string, cause: KubeError): FlotillaError {
  return new FlotillaError(code, sentence, { cause });
}
