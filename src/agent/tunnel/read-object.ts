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

/** What an API server tells everybody whom it knows, however its RBAC is set: it passes no authorizer by default. */
const openPath = "/livez";

/**
 * The bytes of the object as the API server has it now, as JSON, read as the user (TU8). Throws a FlotillaError whose sentence is for that user, TOO_LARGE also after
 * some bytes, or the signal's reason.
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
 * Whether the agent may act for the user at all. A refusal does not say whose it is: from Kubernetes 1.36 on, one of the agent is worded and told as one about the
 * object. So it is asked for what nobody is refused.
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

/** The API server's sentence where there is one; what is wrong with the agent itself is told as that. Where the API server is, and the request, are for whoever runs the agent: in the cause. */
function toUserError(error: KubeError, isOfAgent: boolean): FlotillaError {
  const { fault, told, code } = error;
  if (fault === "unauthorized")
    return refusal("UNAVAILABLE", "the API server does not take the agent's own credential", error);
  if (isOfAgent) {
    const sentence = `the agent may not act for users in its cluster (${told ?? fault}); \`flotilla agent manifest --object-reads\` has the rights it needs`;
    return refusal("PERMISSION_DENIED", sentence, error);
  }
  // That a certificate is wrong on the way to the API server is nothing that the user could mend.
  return refusal(fault === "tls" ? "UNAVAILABLE" : code, told ?? sentenceOf(error), error);
}

/** Where the API server said nothing that is for users. */
function sentenceOf({ fault, status, message }: KubeError): string {
  if (status !== undefined) return `the API server of the cluster answered ${status} and no reason`;
  if (isServerFault(fault)) return `the API server of the cluster does not answer its agent (${fault})`;
  return message;
}

function refusal(code: ErrorCode, sentence: string, cause: KubeError): FlotillaError {
  return new FlotillaError(code, sentence, { cause });
}
