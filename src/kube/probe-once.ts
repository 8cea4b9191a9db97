// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../base/abort.ts";
import { KubeError, type KubeFault } from "./kube-error.ts";
import type { KubeSource } from "./kube-source.ts";
import { readBody } from "./reflector/parse-kube-json.ts";

/** The result of one probe; "" means that the server answered. */
export interface ProbeOutcome {
  readonly fault: KubeFault | "";
  readonly error: string;
}

/** `ok` has two bytes; a failing /livez lists its checks in a few hundred. */
const maxBodyBytes = 64 * 1024;

/** Requests `/livez` once (KU20). Rejects only with the signal's reason. */
export async function probeOnce(source: KubeSource, deadlineMs: number, signal: AbortSignal): Promise<ProbeOutcome> {
  try {
    const answer = await source.request({ method: "GET", path: "/livez", deadlineMs }, signal);
    await readBody(answer.body, maxBodyBytes);
    return { fault: "", error: "" };
  } catch (reason) {
    if (isCancellation(signal, reason) || !(reason instanceof KubeError)) throw reason;
    return { fault: reason.fault, error: reason.message };
  }
}
