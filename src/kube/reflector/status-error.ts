// SPDX-License-Identifier: Apache-2.0
import { faultOfStatus, KubeError } from "../kube-error.ts";
import { fieldOf, textOf } from "./parse-kube-json.ts";

/** A message of a server is shown to people; this much of it. */
const longestMessage = 500;

/** The failure that a Status object tells, as it comes in an ERROR event of a watch (KU12); `malformed` where it tells none. */
export function errorOfStatus(status: unknown, what: string): KubeError {
  const code = fieldOf(status, "code");
  const retryAfterSeconds = fieldOf(fieldOf(status, "details"), "retryAfterSeconds");
  const message = textOf(status, "message").slice(0, longestMessage);
  return new KubeError(
    faultOfStatus(typeof code === "number" ? code : 0),
    `${what} was ended by the server: ${message === "" ? "it gave no reason" : message}`,
    {
      ...(typeof code === "number" ? { status: code } : {}),
      ...(typeof retryAfterSeconds === "number" && retryAfterSeconds > 0
        ? { retryAfterMs: retryAfterSeconds * 1_000 }
        : {}),
    },
  );
}
