// SPDX-License-Identifier: Apache-2.0
// The error of an answer with status 400 or above (KU3, KU4).
import { isObject } from "../../kinds/fields.ts";
import { cutText, redactExactly, redactSecrets } from "../credentials/redact-secrets.ts";
import { faultOfStatus, KubeError } from "../kube-error.ts";

/** An API server's message is one sentence; admission webhooks write longer ones. */
const shownMessageLength = 1_000;

/** For plain text: one sentence. */
const shownTextLength = 200;

/** An answer that failed, with the part of its body that was read. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** `GET /api/v1/pods at https://10.0.0.1:6443`. */
  readonly what: string;
  /** Texts that the message must not show. */
  readonly secrets: readonly string[];
}

/** The error of an answer with status 400 or above. */
export function toAnswerError({ status, headers, body, what, secrets }: FailedAnswer): KubeError {
  const kubernetes = parseStatus(body);
  const retryAfterMs = retryAfterMsOf(headers, kubernetes);
  const isText = headers.get("content-type")?.startsWith("text/plain") === true;
  const shown = shownText(kubernetes.message, isText ? body : "", secrets);
  return new KubeError(faultOfStatus(status, retryAfterMs), `${what} was answered ${status}: ${shown}`, {
    status,
    retryAfterMs,
    serverMessage: kubernetes.message === undefined ? undefined : shown,
  });
}

/**
 * The part of an answer that messages show; nothing of a proxy's HTML page. An API server answers some paths in plain
 * text, such as those of a removed API group.
 */
function shownText(message: string | undefined, plainText: string, secrets: readonly string[]): string {
  if (message !== undefined) return cutText(redactExactly(message, secrets), shownMessageLength) || "without a message";
  const text = cutText(redactSecrets(plainText, secrets), shownTextLength);
  return text === "" ? "without a Kubernetes Status" : `without a Kubernetes Status: ${text}`;
}

interface KubernetesStatus {
  /** Undefined if the body is not a Status. */
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

/** Seconds, or a date relative to the answer's own Date: clocks of two machines are not compared (L20). */
function retryAfterMsOf(headers: ReadonlyMap<string, string>, status: KubernetesStatus): number {
  const text = headers.get("retry-after")?.trim() ?? "";
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : (Date.parse(text) - Date.parse(headers.get("date") ?? "")) / 1_000;
  const waitSeconds = Math.max(Number.isNaN(seconds) ? 0 : seconds, status.retryAfterSeconds);
  return Math.max(0, Math.round(waitSeconds * 1_000));
}
