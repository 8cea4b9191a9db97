// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "./abort.ts";
import type { Clock } from "./clock.ts";
import { FlotillaError } from "./error.ts";

/**
 * `closed`: calls pass; counts the faults in a row. `open`: calls are refused until `untilMs`. `halfOpen`: the period is
 * over; one call at a time passes as a probe, the others are refused.
 */
export type BreakerState =
  | { readonly kind: "closed"; readonly faultCount: number }
  | { readonly kind: "open"; readonly untilMs: number }
  | { readonly kind: "halfOpen"; readonly isProbing: boolean };

export interface CircuitBreakerOptions {
  /** The dependency, for messages: "hub". */
  readonly name: string;
  readonly clock: Clock;
  /** So many faults in a row open it. */
  readonly faultLimit: number;
  /** How long it then stays open. */
  readonly openMs: number;
  /** True for an error that is the dependency's own fault. Any other error proves that the dependency answers. Must not throw. */
  readonly isDependencyFault: (error: unknown) => boolean;
  /** Told of each change of kind, after it; for metrics (U-45). */
  readonly onChange?: (to: BreakerState["kind"], from: BreakerState["kind"]) => void;
}

/** Holds calls back from a dependency that keeps failing, and lets single ones through to see whether it is well again. */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #state: BreakerState = { kind: "closed", faultCount: 0 };
  /** Counts the changes of kind: the end of a call that began before the last change says nothing about now. */
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

  /** The state as the last call left it: `open` becomes `halfOpen` only when a call comes after the period. */
  get state(): BreakerState {
    return this.#state;
  }

  /**
   * Runs `fn` and passes on its result or error, or throws BREAKER_OPEN, with the time left in `retryAfterMs`, without
   * calling it. A call cancelled through `signal` counts neither way.
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
    const when = leftMs > 0 ? `for another ${leftMs} ms` : "until a probe under way has ended";
    return new FlotillaError("BREAKER_OPEN", `calls to ${name} are held back ${when} because it keeps failing`, {
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
