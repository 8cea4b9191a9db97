// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "./abort.ts";
import type { Clock } from "./clock.ts";
import { FlotillaError } from "./error.ts";

/**
 * `closed`: calls pass, and faults in a row are counted. `open`: calls are refused until `untilMs`. `halfOpen`: the
 * period is over; one call at a time passes as a probe, others are refused.
 */
export type BreakerState =
  | { readonly kind: "closed"; readonly faultCount: number }
  | { readonly kind: "open"; readonly untilMs: number }
  | { readonly kind: "halfOpen"; readonly isProbing: boolean };

export interface CircuitBreakerOptions {
  /** The dependency, for messages: "hub". */
  readonly name: string;
  readonly clock: Clock;
  /** Number of faults in a row that open the breaker. */
  readonly faultLimit: number;
  /** How long it stays open. */
  readonly openMs: number;
  /** True for an error caused by the dependency. Any other error proves that the dependency answers. Must not throw. */
  readonly isDependencyFault: (error: unknown) => boolean;
  /** Called after each change of state; for metrics (U-45). */
  readonly onChange?: (to: BreakerState["kind"], from: BreakerState["kind"]) => void;
}

/** Blocks calls to a failing dependency, and lets single calls through to test whether it has recovered. */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #state: BreakerState = { kind: "closed", faultCount: 0 };
  /** Number of state changes. The result of a call that started before the last change is ignored. */
  #changeCount = 0;

  constructor(options: CircuitBreakerOptions) {
    if (!(options.faultLimit >= 1) || !(options.openMs > 0)) {
      throw new FlotillaError(
        "INVALID_ARGUMENT",
        `the circuit breaker of ${options.name} needs a faultLimit of 1 or more and an openMs over 0`,
      );
    }
    this.#options = options;
  }

  /** The state after the last call: `open` becomes `halfOpen` only with a call after the period. */
  get state(): BreakerState {
    return this.#state;
  }

  /**
   * Runs `fn` and returns its result or throws its error. If the breaker is open it throws BREAKER_OPEN, with the
   * remaining time in `retryAfterMs`, without calling `fn`. A call cancelled through `signal` is not counted.
   */
  async call<T>(fn: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#admit();
    const changeCount = this.#changeCount;
    const settle = (verdict: "well" | "fault" | "none"): void => {
      if (changeCount === this.#changeCount) this.#count(verdict);
    };
    try {
      const result = await fn();
      settle("well");
      return result;
    } catch (reason) {
      if (signal !== undefined && isCancellation(signal, reason)) settle("none");
      else settle(this.#options.isDependencyFault(reason) ? "fault" : "well");
      throw reason;
    }
  }

  #admit(): void {
    const state = this.#state;
    if (state.kind === "closed") return;
    const leftMs = state.kind === "open" ? Math.ceil(state.untilMs - this.#options.clock.nowMs()) : 0;
    if (leftMs > 0 || (state.kind === "halfOpen" && state.isProbing)) throw this.#refusal(leftMs);
    this.#become({ kind: "halfOpen", isProbing: true });
  }

  #refusal(leftMs: number): FlotillaError {
    const { name } = this.#options;
    const when = leftMs > 0 ? `for another ${leftMs} ms` : "until the running probe has ended";
    return new FlotillaError("BREAKER_OPEN", `calls to ${name} are blocked ${when} because it keeps failing`, {
      ids: { dependency: name, retryAfterMs: leftMs },
    });
  }

  #count(verdict: "well" | "fault" | "none"): void {
    const state = this.#state;
    if (verdict === "none") {
      if (state.kind === "halfOpen") this.#become({ kind: "halfOpen", isProbing: false });
      return;
    }
    if (verdict === "well") {
      this.#become({ kind: "closed", faultCount: 0 });
      return;
    }
    const faultCount = state.kind === "closed" ? state.faultCount + 1 : this.#options.faultLimit;
    if (faultCount < this.#options.faultLimit) this.#become({ kind: "closed", faultCount });
    else this.#become({ kind: "open", untilMs: this.#options.clock.nowMs() + this.#options.openMs });
  }

  #become(next: BreakerState): void {
    const from = this.#state.kind;
    this.#state = next;
    if (next.kind === from) return;
    this.#changeCount += 1;
    this.#options.onChange?.(next.kind, from);
  }
}
