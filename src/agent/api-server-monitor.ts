// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../base/abort.ts";
import { FlotillaError } from "../base/error.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { CancelTimer, Clock } from "../base/time/clock.ts";
import {
  type ApiServerInput,
  type ApiServerSettings,
  type ApiServerState,
  createApiServerState,
  stepApiServer,
  toApiServerReport,
} from "../health/api-server-health.ts";
import type { KubeSource } from "../kube/kube-source.ts";
import { probeOnce } from "../kube/probe-once.ts";
import type { ApiServerStatus } from "./uplink/uplink-options.ts";

export interface ApiServerMonitorOptions {
  readonly source: KubeSource;
  /** Reads the credentials again and builds a new client. Called before a probe while the server is lost. */
  readonly reload: () => Promise<void>;
  readonly settings: ApiServerSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called after each change of the verdict, and when a requested probe has ended (SE44, SE45). */
  readonly onVerdict?: (state: ApiServerState) => void;
  /** Called when the server answers again after it was lost or degraded (KU14). Must not throw. */
  readonly onReturn?: () => void;
}

/**
 * Runs the probes that the state machine in `health/` starts, one at a time, and feeds it their results (HE5, KU20).
 */
export class ApiServerMonitor {
  readonly #options: ApiServerMonitorOptions;
  readonly #stop = new AbortController();
  #state: ApiServerState;
  #cancelTimer: CancelTimer = () => undefined;
  #probing: Promise<void> = Promise.resolve();
  /** The running probe was requested: its end is reported even if the verdict stays. */
  #isAwaited = false;

  constructor(options: ApiServerMonitorOptions) {
    this.#options = options;
    this.#state = createApiServerState(options.settings, options.clock.nowMs());
  }

  /** The API server fields of the heartbeat. */
  report(): ApiServerStatus {
    const nowMs = this.#options.clock.nowMs();
    const { fault, sinceMsAgo, error, attemptCount, retryInMs } = toApiServerReport(this.#state, nowMs);
    const retryAtMs = fault === "" ? undefined : nowMs + retryInMs;
    return { fault, sinceMs: nowMs - sinceMsAgo, error, attemptCount, retryAtMs };
  }

  /** A watch broke or fell silent, or a request failed as if the server were gone: probes at once. */
  noteDoubt(): void {
    this.#take({ kind: "watchBroke" });
  }

  /** A list or watch was answered: while the server counts as lost, probes at once (KU14). At most once a second. */
  noteAnswer(): void {
    if (this.#state.verdict === "lost") this.#take({ kind: "probeAsked" });
  }

  /** Probes at once, regardless of the backoff; at most once a second (SE45). */
  requestProbe(): void {
    this.#take({ kind: "probeAsked" });
    this.#isAwaited ||= this.#state.probe.kind === "running";
  }

  /** Probes until the signal aborts; rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const end = (): void => {
      this.#cancelTimer();
      this.#stop.abort(signal.reason);
      reject(signal.reason);
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    this.#take({ kind: "timePassed" });
    try {
      await promise;
    } finally {
      await this.#probing;
    }
  }

  #take(input: ApiServerInput): void {
    if (this.#stop.signal.aborted) return;
    const { clock, random, onVerdict } = this.#options;
    const before = this.#state.verdict;
    const step = stepApiServer(this.#state, input, { nowMs: clock.nowMs(), chance: random.next() });
    this.#state = step.state;
    this.#cancelTimer();
    if (step.nextDueMs !== undefined) {
      const waitMs = Math.max(0, step.nextDueMs - clock.nowMs());
      this.#cancelTimer = clock.setTimer(waitMs, () => this.#take({ kind: "timePassed" }));
    }
    if (step.state.verdict !== before) {
      const { verdict, fault, error } = step.state;
      this.#options.log.info("the API server's health changed", { verdict, fault, detail: error });
    }
    const isAnswer = this.#isAwaited && step.state.probe.kind === "planned";
    if (isAnswer) this.#isAwaited = false;
    if (isAnswer || step.state.verdict !== before) onVerdict?.(step.state);
    if (step.state.verdict === "answers" && (before === "lost" || before === "degraded")) this.#options.onReturn?.();
    if (step.startProbe !== undefined) this.#probing = this.#probe(step.startProbe);
  }

  async #probe(number: number): Promise<void> {
    const { source, settings, reload, log } = this.#options;
    const { signal } = this.#stop;
    try {
      if (this.#state.verdict === "lost" && this.#state.fault !== "serverError" && this.#state.fault !== "overloaded") {
        await reload();
      }
      const { fault, error } = await probeOnce(source, settings.probeTimeoutMs, signal);
      this.#take({ kind: "probed", number, fault, error });
    } catch (reason) {
      if (isCancellation(signal, reason)) return;
      if (!(reason instanceof FlotillaError)) throw reason;
      log.warn("the credentials of the cluster cannot be read", {}, reason);
      this.#take({ kind: "probed", number, fault: "unauthorized", error: reason.message });
    }
  }
}
