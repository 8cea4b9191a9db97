// SPDX-License-Identifier: Apache-2.0
import { abortReason } from "../../base/abort.ts";
import type { Gvr } from "../../model/gvr.ts";
import { KubeError } from "../kube-error.ts";
import { resourcePath } from "../reflector/kube-resource-path.ts";
import { readBody } from "../reflector/parse-kube-json.ts";
import type { LoadOptions } from "./load-groups.ts";

/** One object is requested. A larger answer is not a refusal, which is all that is checked. */
const maxAnswerBytes = 64 * 1024;

/**
 * The server's own error for a resource that discovery no longer lists, from a list request. Undefined if the answer is
 * not "not found": the resource may be back, or the server cannot answer. Rejects only with the signal's reason.
 */
export async function loadNotFoundError(
  { source, requestTimeoutMs }: LoadOptions,
  resource: Gvr,
  signal: AbortSignal,
): Promise<KubeError | undefined> {
  const path = resourcePath({ resource });
  const headers = { accept: "application/json" };
  try {
    const answer = await source.request(
      { method: "GET", path, query: { limit: "1" }, headers, deadlineMs: requestTimeoutMs },
      signal,
    );
    await readBody(answer.body, maxAnswerBytes);
    return undefined;
  } catch (reason) {
    if (signal.aborted) throw abortReason(signal);
    if (!(reason instanceof KubeError)) throw reason;
    return reason.fault === "notFound" ? reason : undefined;
  }
}
