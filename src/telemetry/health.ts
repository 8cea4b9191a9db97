// SPDX-License-Identifier: Apache-2.0

import { toFlotillaError } from "../base/error.ts";
import { type Logger, silentLogger } from "../base/log.ts";
import type { Clock } from "../base/time/clock.ts";
import { withDeadline } from "../base/time/deadline.ts";

/**
 * Resolves if the component is ready; throws otherwise. The message of a FlotillaError is shown in the probe's
 * response.
 */
export type ReadinessCheck = (signal: AbortSignal) => Promise<void>;

/** The result of one check. */
export type CheckResult =
  | { readonly name: string; readonly ready: true; readonly tookMs: number }
  | { readonly name: string; readonly ready: false; readonly reason: string; readonly tookMs: number };

/** The results of all checks, and whether the process can take work. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: readonly CheckResult[];
}

export interface HealthOptions {
  readonly clock: Clock;
  /**
   * How long one check may take. Default: 900 ms, a little below 1 s, the default `timeoutSeconds` of a Kubernetes
   * probe.
   */
  readonly deadlineMs?: number;
  readonly log?: Logger;
}

const defaultDeadlineMs = 900;

/**
 * The readiness checks of this process. A check that throws or hangs means not ready; so does having no check. Checks
 * run on request, each with a deadline and at most once at a time, so that frequent probes do not pile up behind a
 * hanging check.
 */
export class Health {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #log: Logger;
  readonly #checks = new Map<string, ReadinessCheck>();
  readonly #running = new Map<string, Promise<void>>();
  #drainReason: string | undefined;

  constructor({ clock, deadlineMs = defaultDeadlineMs, log = silentLogger }: HealthOptions) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.#log = log;
  }

  /** Adds a check, or replaces the one with that name. */
  setCheck(name: string, check: ReadinessCheck): void {
    this.#checks.set(name, check);
    this.#running.delete(name);
  }

  /** Not ready from now on, whatever the checks report: the process is closing and takes no new work. */
  drain(reason = "the process is closing"): void {
    this.#drainReason = reason;
  }

  /** Runs all checks in parallel. Never rejects; takes at most one deadline. */
  async load(): Promise<Readiness> {
    const checks = await Promise.all([...this.#checks].map(([name, check]) => this.#result(name, check)));
    if (checks.length === 0) checks.push(notReady("checks", "no readiness check is registered yet", 0));
    if (this.#drainReason !== undefined) checks.push(notReady("drain", this.#drainReason, 0));
    return { ready: checks.every((check) => check.ready), checks };
  }

  async #result(name: string, check: ReadinessCheck): Promise<CheckResult> {
    const startedMs = this.#clock.nowMs();
    try {
      await withDeadline((signal) => this.#join(name, check, signal), {
        clock: this.#clock,
        limitMs: this.#deadlineMs,
        what: `the answer of ${name}`,
      });
      return { name, ready: true, tookMs: this.#clock.nowMs() - startedMs };
    } catch (reason) {
      this.#log.debug("not ready", { check: name });
      return notReady(name, toFlotillaError(reason).message, this.#clock.nowMs() - startedMs);
    }
  }

  /** The running execution of this check, or a new one. */
  #join(name: string, check: ReadinessCheck, signal: AbortSignal): Promise<void> {
    const before = this.#running.get(name);
    if (before !== undefined) return before;
    const run = startCheck(check, signal);
    this.#running.set(name, run);
    const forget = (): void => {
      if (this.#running.get(name) === run) this.#running.delete(name);
    };
    run.then(forget, forget);
    return run;
  }
}

/** Turns a check that throws before its first await into one that rejects. */
async function startCheck(check: ReadinessCheck, signal: AbortSignal): Promise<void> {
  await check(signal);
}

function notReady(name: string, reason: string, tookMs: number): CheckResult {
  return { name, ready: false, reason, tookMs };
}
