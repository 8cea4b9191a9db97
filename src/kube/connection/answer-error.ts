// SPDX-License-Identifier: Apache-2.0
// What an answer of 400 and above means (KU3, KU4).
import { isObject } from "../../kinds/fields.ts";
import { cutText, hideExactly, hideSecrets } from "../credentials/hide-secrets.ts";
import { faultOfStatus, KubeError } from "../kube-error.ts";

/** A message of an API server is a sentence; admission webhooks write longer ones. */
const shownMessageLength = 1_000;

/** Of plain text: a sentence. */
const shownTextLength = 200;

/** An answer that failed, with as much of its body as was read. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** `GET /api/v1/pods at https://10.0.0.1:6443`. */
  readonly what: string;
  /** What the message must not show. */
  readonly secrets: readonly string[];
}

/** The error of an answer of 400 and above. */
export function toAnswerError({ status, headers, body, what, secrets }: FailedAnswer): KubeError {
  const kubernetes = parseStatus(body);
  const retryAfterMs = retryAfterMsOf(headers, kubernetes);
  const isText = headers.get("content-type")?.startsWith("text/plain") === true;
  const told = tell(kubernetes.message, isText ? body : "", secrets);
  return new KubeError(faultOfStatus(status, retryAfterMs), `${what} was answered ${status}: ${told}`, {
    status,
    retryAfterMs,
    told: kubernetes.message === undefined ? undefined : told,
  });
}

/** What is shown of an answer: of the page of a proxy nothing. An API server itself answers some paths in plain text, as those of a group that is gone. */
function tell(message: string | undefined, plainText: string, secrets: readonly string[]): string {
  if (message !== undefined) return cutText(hideExactly(message, secrets), shownMessageLength) || "without a message";
  const text = cutText(hideSecrets(plainText, secrets), shownTextLength);
  return text === "" ? "without a Kubernetes Status" : `without a Kubernetes Status: ${text}`;
}

interface KubernetesStatus {
  /** Undefined where the body is no Status. */
  readonly message: string | undefined;
  readonly retryAfterSeconds: number;
}

function parseStatus(body: string): KubernetesStatus {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (reason) {
    if (!(reason instanceof SyntaxError)) throw reason;
  }
  if (!isObject(parsed) || parsed["kind"] !== "Status") return { message: undefined, retryAfterSeconds: 0 };
  const { message, details } = parsed;
  const seconds = isObject(details) ? details["retryAfterSeconds"] : undefined;
  return {
    message: typeof message === "string" ? message : "",
    retryAfterSeconds: typeof seconds === "number" && seconds > 0 ? seconds : 0,
  };
}

/** Seconds, or a date that is counted from the answer's own Date: clocks of two machines are not compared (L20). */
function retryAfterMsOf(headers: ReadonlyMap<string, string>, status: KubernetesStatus): number {
  const text = headers.get("retry-after")?.trim() ?? "";
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : (Date.parse(text) - Date.parse(headers.get("date") ?? "")) / 1_000;
  const asked = Math.max(Number.isNaN(seconds) ? 0 : seconds, status.retryAfterSeconds);
  return Math.max(0, Math.round(asked * 1_000));
}
