// SPDX-License-Identifier: Apache-2.0
// The agent's judgement of its own API server, from probes and watches (HE5). It decides when to probe; its owner carries probes out.
import { type BackoffCurve, backoffCeilingMs } from "../base/backoff.ts";
import type { ApiServerFault, ApiServerReport } from "./api-server-report.ts";
import { toDetail } from "./reason.ts";
import type { Thresholds } from "./thresholds.ts";

/**
 * `unknown`: nothing heard yet; `answers`: it is there; `degraded`: it is there and answers with 5xx or 429; `lost`: it cannot
 * be reached, or does not take us.
 */
export type ApiServerVerdict = "unknown" | "answers" | "degraded" | "lost";

/** How a probe ended. "" = answered below 400; else the fault of the request. */
export type ProbeFault =
  | ""
  | ApiServerFault
  | "forbidden"
  | "notFound"
  | "conflict"
  | "expired"
  | "malformed"
  | "refused";

/** What becomes of each: `lost` after confirmation, `degraded` by count. What is no answer of an API server at all is not taken for one. */
const meaningOf: Readonly<Record<ProbeFault, "answers" | "degraded" | "lost">> = {
  "": "answers",
  forbidden: "answers",
  notFound: "answers",
  conflict: "answers",
  expired: "answers",
  overloaded: "degraded",
  serverError: "degraded",
  malformed: "degraded",
  refused: "degraded",
  unauthorized: "lost",
  tls: "lost",
  dns: "lost",
  tcp: "lost",
  timeout: "lost",
};

export interface ApiServerSettings
  extends Pick<Thresholds, "probeIntervalMs" | "probeTimeoutMs" | "degradedLimitCount"> {
  /** False: no probe without a reason, so a loss is found from watches alone. */
  readonly isPolled: boolean;
  /** Delays between attempts while it is lost, for ever. */
  readonly retry: BackoffCurve;
}

/** Asked probes start no closer than this (SE45): many who press at once cost one, and one who presses again does not wait. */
const askedIntervalMs = 1_000;

/** What the machine is told. */
export type ApiServerInput =
  | { readonly kind: "timePassed" }
  | { readonly kind: "probed"; readonly number: number; readonly fault: ProbeFault; readonly error: string }
  /** A watch broke off or fell silent: a reason to probe at once. */
  | { readonly kind: "watchBroke" }
  /** Somebody wants it tried now, whatever the backoff (SE45). */
  | { readonly kind: "probeAsked" }
  /** Any request of the present connection was answered below 500 and not with 401. */
  | { readonly kind: "answered" }
  /** The connection was built anew: what a probe of the old one says no longer counts. */
  | { readonly kind: "connectionReplaced" };

/**
 * A probe that is under way (`endsByMs`), or planned for a time; at most one. `isWantedAgain`: another follows if this one shows that it is there;
 * `isAskedAgain`: another follows whatever this one shows, since it began before somebody asked.
 */
type Probe =
  | { readonly kind: "planned"; readonly dueMs: number | undefined }
  | {
      readonly kind: "running";
      readonly endsByMs: number;
      readonly isWantedAgain: boolean;
      readonly isAskedAgain: boolean;
    };

export interface ApiServerState {
  readonly settings: ApiServerSettings;
  readonly verdict: ApiServerVerdict;
  readonly sinceMs: number;
  readonly fault: ApiServerFault | "";
  readonly error: string;
  /** A probe failed and the one that confirms it is under way. */
  readonly isSuspect: boolean;
  readonly degradedCount: number;
  /** Attempts since it was lost. */
  readonly attemptCount: number;
  /** Of the newest probe; the result of any other is ignored. */
  readonly probeNumber: number;
  readonly probe: Probe;
  /** When somebody's asking was last followed; undefined = never. */
  readonly askedMs: number | undefined;
}

/** When an input came, and a number in [0, 1) from the caller's Random that draws the delay of the next attempt (L12). */
export interface Moment {
  readonly nowMs: number;
  readonly chance: number;
}

export interface ApiServerStep {
  readonly state: ApiServerState;
  /** The number of a probe to begin now. */
  readonly startProbe: number | undefined;
  /** When to step with `timePassed` if nothing comes before. */
  readonly nextDueMs: number | undefined;
}

/** Nothing known; the first probe is due at once. */
export function createApiServerState(settings: ApiServerSettings, nowMs: number): ApiServerState {
  return {
    settings,
    verdict: "unknown",
    sinceMs: nowMs,
    fault: "",
    error: "",
    isSuspect: false,
    degradedCount: 0,
    attemptCount: 0,
    probeNumber: 0,
    probe: { kind: "planned", dueMs: nowMs },
    askedMs: undefined,
  };
}

/** One step. Total: every input is taken in every state. */
export function stepApiServer(state: ApiServerState, input: ApiServerInput, moment: Moment): ApiServerStep {
  const before = endOverdue(state, moment);
  const judged = applyInput(before, input, moment);
  return startDue(judged, moment.nowMs);
}

/** What a heartbeat says of it. Before the first answer it counts as lost: nobody has seen it (HE4). */
export function toApiServerReport(state: ApiServerState, nowMs: number): ApiServerReport {
  const { verdict, error, attemptCount, probe } = state;
  const sinceMsAgo = Math.max(0, nowMs - state.sinceMs);
  const fault = verdict === "unknown" ? "timeout" : verdict === "lost" ? state.fault : "";
  const dueMs = probe.kind === "planned" ? (probe.dueMs ?? nowMs) : nowMs;
  const retryInMs = fault === "" ? 0 : Math.max(0, dueMs - nowMs);
  return {
    fault,
    sinceMsAgo,
    error: verdict === "unknown" ? "the API server was not reached yet" : error,
    attemptCount,
    retryInMs,
  };
}

function applyInput(state: ApiServerState, input: ApiServerInput, moment: Moment): ApiServerState {
  const { nowMs } = moment;
  switch (input.kind) {
    case "timePassed":
      return state;
    case "answered":
      return state.verdict === "answers" ? { ...state, isSuspect: false } : present(state, nowMs);
    case "watchBroke":
      return state.verdict === "lost" ? state : probeSoon(state, nowMs);
    case "probeAsked":
      return isAskedTooSoon(state, nowMs) ? state : probeAsAsked(state, nowMs);
    case "connectionReplaced":
      return { ...state, probe: { kind: "planned", dueMs: nowMs } };
    case "probed":
      if (state.probe.kind !== "running" || input.number !== state.probeNumber) return state;
      return judgeProbe(state, { ...state.probe, ...input }, moment);
  }
}

/** A probe that outlasted its deadline failed by `timeout`, whatever it says later. */
function endOverdue(state: ApiServerState, moment: Moment): ApiServerState {
  const { probe } = state;
  if (probe.kind !== "running" || moment.nowMs < probe.endsByMs) return state;
  const error = `no answer within ${state.settings.probeTimeoutMs} ms`;
  return judgeProbe(state, { ...probe, fault: "timeout", error, isWantedAgain: false }, moment);
}

interface ProbeResult {
  readonly fault: ProbeFault;
  readonly error: string;
  readonly isWantedAgain: boolean;
  readonly isAskedAgain: boolean;
}

function judgeProbe(state: ApiServerState, result: ProbeResult, moment: Moment): ApiServerState {
  const { nowMs } = moment;
  const { probeIntervalMs, degradedLimitCount, isPolled } = state.settings;
  const meaning = meaningOf[result.fault];
  if (meaning === "answers") {
    const dueMs = result.isWantedAgain || result.isAskedAgain ? nowMs : isPolled ? nowMs + probeIntervalMs : undefined;
    return { ...present(state, nowMs), probe: { kind: "planned", dueMs } };
  }
  if (state.verdict === "lost") return fail(state, result, moment);
  if (meaning === "degraded") {
    const degradedCount = state.degradedCount + 1;
    if (degradedCount >= degradedLimitCount) return fail(state, result, moment);
    const probe: Probe = { kind: "planned", dueMs: result.isAskedAgain ? nowMs : nowMs + probeIntervalMs };
    const verdict = state.verdict === "unknown" ? "unknown" : "degraded";
    const sinceMs = verdict === state.verdict ? state.sinceMs : nowMs;
    return { ...state, verdict, sinceMs, error: toDetail(result.error), isSuspect: false, degradedCount, probe };
  }
  if (result.fault === "timeout" || state.isSuspect) return fail(state, result, moment);
  return { ...state, isSuspect: true, probe: { kind: "planned", dueMs: nowMs } };
}

function fail(
  state: ApiServerState,
  { fault, error, isAskedAgain }: ProbeResult,
  { nowMs, chance }: Moment,
): ApiServerState {
  const isNew = state.verdict !== "lost";
  const attemptCount = isNew ? 0 : state.attemptCount + 1;
  const delayMs = isAskedAgain ? 0 : backoffCeilingMs(state.settings.retry, attemptCount) * chance;
  return {
    ...state,
    verdict: "lost",
    sinceMs: isNew ? nowMs : state.sinceMs,
    fault: toApiServerFault(fault),
    error: toDetail(error),
    isSuspect: false,
    attemptCount,
    probe: { kind: "planned", dueMs: nowMs + delayMs },
  };
}

function toApiServerFault(fault: ProbeFault): ApiServerFault {
  switch (fault) {
    case "unauthorized":
    case "tls":
    case "dns":
    case "tcp":
    case "timeout":
    case "overloaded":
      return fault;
    default:
      return "serverError";
  }
}

function present(state: ApiServerState, nowMs: number): ApiServerState {
  return {
    ...state,
    verdict: "answers",
    sinceMs: state.verdict === "answers" ? state.sinceMs : nowMs,
    fault: "",
    error: "",
    isSuspect: false,
    degradedCount: 0,
    attemptCount: 0,
  };
}

function probeSoon(state: ApiServerState, nowMs: number): ApiServerState {
  const { probe } = state;
  if (probe.kind === "running") return { ...state, probe: { ...probe, isWantedAgain: true } };
  return { ...state, probe: { kind: "planned", dueMs: nowMs } };
}

function isAskedTooSoon({ askedMs }: ApiServerState, nowMs: number): boolean {
  return askedMs !== undefined && nowMs - askedMs < askedIntervalMs;
}

function probeAsAsked(state: ApiServerState, nowMs: number): ApiServerState {
  const { probe } = state;
  const next: Probe = probe.kind === "running" ? { ...probe, isAskedAgain: true } : { kind: "planned", dueMs: nowMs };
  return { ...state, probe: next, askedMs: nowMs };
}

function startDue(state: ApiServerState, nowMs: number): ApiServerStep {
  const { probe } = state;
  if (probe.kind === "running") return { state, startProbe: undefined, nextDueMs: probe.endsByMs };
  if (probe.dueMs === undefined || probe.dueMs > nowMs) return { state, startProbe: undefined, nextDueMs: probe.dueMs };
  const endsByMs = nowMs + state.settings.probeTimeoutMs;
  const probeNumber = state.probeNumber + 1;
  const running: Probe = { kind: "running", endsByMs, isWantedAgain: false, isAskedAgain: false };
  return { state: { ...state, probeNumber, probe: running }, startProbe: probeNumber, nextDueMs: endsByMs };
}
