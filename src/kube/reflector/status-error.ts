// SPDX-License-Identifier: Apache-2.0
import { faultOfStatus, KubeError } from "../kube-error.ts";
import { fieldOf, textOf } from "./parse-kube-json.ts";

/** The limit on the length of a server's message that is shown to people. */
const longestMessage = 500;

/** Converts the Status object of a watch's ERROR event to an error (KU12). Without a status code it is `malformed`. */
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
