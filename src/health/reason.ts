// SPDX-License-Identifier: Apache-2.0

/** Why a cluster is in its state (HE7), each with its user-facing sentence. */
export const reasonSentences = {
  none: "The rows are current.",
  dns: "The agent cannot resolve the name of the API server; check the address it was given and the cluster's DNS.",
  tcp: "The agent cannot connect to the API server; check that it runs and that no firewall or proxy blocks it.",
  tls: "The agent and the API server do not agree on TLS; check the certificate's expiry and the pinned authority.",
  timeout: "The API server does not answer in time; it hangs, or the network drops packets.",
  unauthorized: "The API server refuses the agent's credential; renew it.",
  forbidden: "The API server denies the agent's requests; check its role.",
  overloaded: "The other side is overloaded and asks to wait; the attempt is repeated.",
  serverError: "The API server answers with errors of its own; look at its log.",
  agentLost: "The agent's session broke without a goodbye; check the agent, its node and the network between.",
  agentLeft: "The agent ended its session and has not returned; it was stopped, or is being replaced.",
  heartbeatMissed: "No heartbeats arrive from the agent; it hangs, or the network is interrupted.",
  watchSilent: "A watch of the agent was silent for too long; it is restarted.",
  backlog: "Changes wait at the agent for too long; the hub or the network does not keep up.",
  grantsBehind: "The cluster's RBAC objects are behind; rows are withheld until they are current again.",
  rejected: "The hub rejects the cluster's agent, and retrying does not help; see the detail.",
  hubRestarted: "The hub was restarted and the agent has not come back yet.",
  paused: "The cluster is paused on purpose; its agent sends no rows until it is resumed, and the known rows age.",
  never: "No agent of this cluster has ever been accepted; install one, or look at its log.",
} as const satisfies Readonly<Record<string, string>>;

/** A class of reasons. Alerts and pages branch on it, never on text. */
export type ReasonClass = keyof typeof reasonSentences;

/** Maximum length of a detail: two terminal lines. The text comes from a cluster, so it must be bounded. */
const longestDetail = 240;

function isReasonClass(text: string): text is ReasonClass {
  return Object.hasOwn(reasonSentences, text);
}

/** The class of a reported fault; `serverError` for one that this release does not know. */
export function reasonOfFault(fault: string): ReasonClass {
  return isReasonClass(fault) && fault !== "none" ? fault : "serverError";
}

/** Line ends, terminal control characters and directional formatting characters (UAX #9, 2.1 to 2.5). */
// oxlint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** Blocks of right-to-left scripts, including their unassigned characters (UAX #9, 3.2). */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Makes external text safe to show: one line, bounded, without directional formatting. */
export function toDetail(text: string): string {
  const line = text
    .slice(0, 4 * longestDetail)
    .replaceAll(controlCharacters, " ")
    .trim();
  return line.length > longestDetail ? `${line.slice(0, longestDetail - 1).toWellFormed()}…` : line.toWellFormed();
}

/** One user-facing sentence with the detail in parentheses. `detail` must come from `toDetail`. */
export function sentenceOf(reason: ReasonClass, detail: string): string {
  const sentence = reasonSentences[reason];
  return detail === "" ? sentence : `${sentence.slice(0, -1)} (${isolate(detail)}).`;
}

/**
 * Encloses right-to-left text in FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE, so that it does not reorder the
 * parentheses.
 */
function isolate(detail: string): string {
  return rightToLeft.test(detail) ? `\u2068${detail}\u2069` : detail;
}
