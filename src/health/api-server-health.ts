// SPDX-License-Identifier: Apache-2.0
// The agent's judgement of its own API server, from probes and watches (HE5). Decides when to probe; the caller runs
// the probes.
import { type BackoffCurve, backoffCeilingMs } from "../base/time/backoff.ts";
import type { ApiServerFault, ApiServerReport } from "./health-input.ts";
import { toDetail } from "./reason.ts";
import type { Thresholds } from "./thresholds.ts";

/**
 * `unknown`: no answer yet; `answers`: reachable; `degraded`: reachable, but answers with 5xx or 429; `lost`:
 * unreachable, or refuses the agent's credential.
 */
export type ApiServerVerdict = "unknown" | "answers" | "degraded" | "lost";

/** The result of a probe. "": answered below 400; else the fault of the request. */
export type ProbeFault =
  | ""
  | ApiServerFault
  | "forbidden"
  | "notFound"
  | "conflict"
  | "expired"
  | "malformed"
  | "refused";

/**
 * The verdict of each result: `lost` after confirmation, `degraded` by count. A malformed answer does not count as one
 * of an API server.
 */
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
  /** False: no periodic probes, so a loss is detected from watches alone. */
  readonly isPolled: boolean;
  /** Delays between attempts while it is lost, without end. */
  readonly retry: BackoffCurve;
}

/**
 * Minimum interval of requested probes (SE45): many simultaneous requests cost one probe, and a repeated one need not
 * wait.
 */
const requestedIntervalMs = 1_000;

/** Inputs of the state machine. */
export type ApiServerInput =
  | { readonly kind: "timePassed" }
  | { readonly kind: "probed"; readonly number: number; readonly fault: ProbeFault; readonly error: string }
  /** A watch ended or fell silent: probe at once. */
  | { readonly kind: "watchBroke" }
  /** A user requests a probe now, regardless of the backoff (SE45). */
  | { readonly kind: "probeAsked" }
  /** A request on the current connection was answered below 500 and not with 401. */
  | { readonly kind: "answered" }
  /** The connection was replaced: results of probes on the old one are ignored. */
  | { readonly kind: "connectionReplaced" };

/**
 * The running or planned probe; at most one. `isWantedAgain`: another follows if this one is answered. `isAskedAgain`:
 * another follows in any case, because this one began before the request.
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
  /** A probe failed and the confirming one is running. */
  readonly isSuspect: boolean;
  readonly degradedCount: number;
  /** Attempts since it was lost. */
  readonly attemptCount: number;
  /** Number of the newest probe; results of others are ignored. */
  readonly probeNumber: number;
  readonly probe: Probe;
  /** Time of the last accepted request for a probe; undefined: never. */
  readonly askedMs: number | undefined;
}

/** Time of an input, and a random number in [0, 1) that determines the delay of the next attempt (L12). */
export interface Moment {
  readonly nowMs: number;
  readonly chance: number;
}

export interface ApiServerStep {
  readonly state: ApiServerState;
  /** The number of a probe to start now. */
  readonly startProbe: number | undefined;
  /** When to step with `timePassed` if no input comes before. */
  readonly nextDueMs: number | undefined;
}

/** The initial state; the first probe is due at once. */
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

/** One step. Total: every input is accepted in every state. */
export function stepApiServer(state: ApiServerState, input: ApiServerInput, moment: Moment): ApiServerStep {
  const before = endOverdue(state, moment);
  const judged = applyInput(before, input, moment);
  return startDue(judged, moment.nowMs);
}

/** The report for a heartbeat. Before the first answer the API server counts as lost (HE4). */
export function toApiServerReport(state: ApiServerState, nowMs: number): ApiServerReport {
  const { verdict, error, attemptCount, probe } = state;
  const sinceMsAgo = Math.max(0, nowMs - state.sinceMs);
  const fault = verdict === "unknown" ? "timeout" : verdict === "lost" ? state.fault : "";
  const dueMs = probe.kind === "planned" ? (probe.dueMs ?? nowMs) : nowMs;
  const retryInMs = fault === "" ? 0 : Math.max(0, dueMs - nowMs);
  return {
    fault,
    sinceMsAgo,
    error: verdict === "unknown" ? "the API server has not been reached yet" : error,
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
      return isRequestedTooSoon(state, nowMs) ? state : probeOnRequest(state, nowMs);
    case "connectionReplaced":
      return { ...state, probe: { kind: "planned", dueMs: nowMs } };
    case "probed":
      if (state.probe.kind !== "running" || input.number !== state.probeNumber) return state;
      return judgeProbe(state, { ...state.probe, ...input }, moment);
  }
}

/** A probe past its deadline failed by `timeout`; its later result is ignored. */
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

function isRequestedTooSoon({ askedMs }: ApiServerState, nowMs: number): boolean {
  return askedMs !== undefined && nowMs - askedMs < requestedIntervalMs;
}

function probeOnRequest(state: ApiServerState, nowMs: number): ApiServerState {
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
