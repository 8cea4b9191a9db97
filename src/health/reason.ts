// SPDX-License-Identifier: Apache-2.0

/** Why a cluster is in its state (HE7), each with the sentence that people read. */
export const reasonSentences = {
  none: "The picture is current.",
  dns: "The agent cannot resolve the name of the API server; check the address it was given and the cluster's DNS.",
  tcp: "The agent cannot connect to the API server; check that it runs and that nothing on the way refuses.",
  tls: "The agent and the API server do not agree on TLS; check the certificate's expiry and the pinned authority.",
  timeout: "The API server does not answer in time; it hangs, or something on the way swallows packets.",
  unauthorized: "The API server refuses the agent's credential; renew it.",
  forbidden: "The API server forbids what the agent asks; check its role.",
  overloaded: "The other side is over its limit and asks to wait; it is tried again.",
  serverError: "The API server answers with errors of its own; look at its log.",
  agentLost: "The agent's session broke without a goodbye; check the agent, its node and the network between.",
  agentLeft: "The agent said goodbye and has not come back; it was stopped, or is being replaced.",
  heartbeatMissed: "The agent's heartbeats do not come; it is frozen, or the network between is.",
  watchSilent: "A watch of the agent is silent for too long; it is broken off and resumed.",
  backlog: "Changes wait at the agent for too long; the hub or the network does not keep up.",
  grantsBehind: "The cluster's RBAC objects are behind; rows are withheld until they are current again.",
  rejected: "The hub rejects the cluster's agent, and waiting does not cure it; see the detail.",
  hubRestarted: "The hub was restarted and the agent has not come back yet.",
  paused:
    "The cluster is paused on purpose; its agent sends no rows until somebody resumes it, and what is known of it ages.",
  never: "No agent of this cluster has ever been accepted; install one, or look at its log.",
} as const satisfies Readonly<Record<string, string>>;

/** A class of reasons; alerts and pages branch on it, never on text. */
export type ReasonClass = keyof typeof reasonSentences;

/** Every class, in the order of HE7. */
export const reasonClasses = Object.keys(reasonSentences) as readonly ReasonClass[];

/** Longest detail that is shown: two lines of a terminal. It comes from a cluster, so it has a bound. */
const longestDetail = 240;

function isReasonClass(text: string): text is ReasonClass {
  return Object.hasOwn(reasonSentences, text);
}

/** The class of a fault that an agent told. One that this release does not know is still a fault: `serverError`. */
export function reasonOfFault(fault: string): ReasonClass {
  return isReasonClass(fault) && fault !== "none" ? fault : "serverError";
}

/** Ends of lines, what terminals obey, and the marks that turn the text after them around (UAX #9, 2.1 to 2.5). */
// oxlint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** The blocks whose letters run from right to left (UAX #9, 3.2: what is unassigned there counts as such). */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Text from outside as it may be shown: one line, bounded, in the direction of its own letters. */
export function toDetail(text: string): string {
  const line = text
    .slice(0, 4 * longestDetail)
    .replaceAll(controlCharacters, " ")
    .trim();
  return line.length > longestDetail ? `${line.slice(0, longestDetail - 1).toWellFormed()}…` : line.toWellFormed();
}

/** One sentence for people, with what the other side said in parentheses. `detail` is one that `toDetail` gave. */
export function sentenceOf(reason: ReasonClass, detail: string): string {
  const sentence = reasonSentences[reason];
  return detail === "" ? sentence : `${sentence.slice(0, -1)} (${isolate(detail)}).`;
}

/** Kept from what stands beside it, where its letters would draw a parenthesis to their own side: between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE. */
function isolate(detail: string): string {
  return rightToLeft.test(detail) ? `\u2068${detail}\u2069` : detail;
}
