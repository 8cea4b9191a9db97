// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../base/clock.ts";
import { withDeadline } from "../base/deadline.ts";
import { toFlotillaError } from "../base/error.ts";
import { type Logger, silentLogger } from "../base/log.ts";

/** Resolves when the part is ready. Throws otherwise; the sentence of a FlotillaError is shown to whoever asks. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<void>;

/** What one check said. */
export type CheckResult =
  | { readonly name: string; readonly ready: true; readonly tookMs: number }
  | { readonly name: string; readonly ready: false; readonly reason: string; readonly tookMs: number };

/** What all checks said, and whether that is enough to take work. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: readonly CheckResult[];
}

export interface HealthOptions {
  readonly clock: Clock;
  /** How long one check may take. 1 s is Kubernetes' default `timeoutSeconds` of a probe, less a little for the way. */
  readonly deadlineMs?: number;
  readonly log?: Logger;
}

const defaultDeadlineMs = 900;

/**
 * The checks that say whether this process can do its work. It tells the truth in doubt too: a check that throws, hangs
 * or was never registered means not ready. Checks run when asked, each with a deadline and each at most once at a time,
 * so probes that come faster than a hanging check ends do not pile up.
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

  /** Adds a check, or puts another in the place of the one of that name. */
  setCheck(name: string, check: ReadinessCheck): void {
    this.#checks.set(name, check);
    this.#running.delete(name);
  }

  /** From now on not ready, whatever the checks say: the process is closing and wants no new work. */
  drain(reason = "the process is closing"): void {
    this.#drainReason = reason;
  }

  /** Runs all checks side by side. Never rejects; takes at most one deadline. */
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

  /** The run of this check that is under way, or a new one. */
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
