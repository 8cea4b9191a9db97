// SPDX-License-Identifier: Apache-2.0
import { abortReason } from "../../base/abort.ts";
import type { Gvr } from "../../model/gvr.ts";
import { KubeError } from "../kube-error.ts";
import { readBody } from "../reflector/parse-json.ts";
import { resourcePath } from "../reflector/resource-path.ts";
import type { LoadOptions } from "./load-groups.ts";

/** One object is asked for; an answer that is larger is no refusal, and that is all that is asked. */
const maxAnswerBytes = 64 * 1024;

/**
 * The server's own words for a resource that discovery no longer tells of: what it answers to a list of it. Undefined where that is not "not found": it may be
 * back, or the server cannot say. Rejects only with the signal's reason.
 */
export async function loadAbsence(
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
