// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type Deadline, openDeadline } from "../../base/time/deadline.ts";
import { KubeError } from "../kube-error.ts";
import { networkFaultOf } from "./network-fault.ts";

/** The limits of one request. */
export interface RequestScopeOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** `GET /api/v1/pods of prod`, for messages. */
  readonly what: string;
}

/**
 * The lifetime of one request, from its call to the end of its answer. It distinguishes failures by abort, by deadline
 * and by network.
 */
export class RequestScope {
  readonly #options: RequestScopeOptions;
  readonly #deadline: Deadline;
  readonly #startedMs: number;
  #unlisten = (): void => undefined;
  #cancel = (): void => undefined;

  constructor(options: RequestScopeOptions) {
    const { clock, deadlineMs, signal, what } = options;
    this.#options = options;
    this.#startedMs = clock.nowMs();
    this.#deadline = openDeadline({ clock, limitMs: deadlineMs, what, signal });
  }

  /** Aborts with the caller's reason, or at the deadline. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get tookMs(): number {
    return this.#options.clock.nowMs() - this.#startedMs;
  }

  /**
   * Called when the response headers have arrived; `cancel` ends the body. Without `isEndless` the deadline still
   * applies to the body (KU2).
   */
  holdBody(cancel: () => void, isEndless: boolean): void {
    this.#cancel = cancel;
    if (isEndless) this.#deadline[Symbol.dispose]();
    this.#unlisten = onAbort(isEndless ? this.#options.signal : this.signal, cancel);
  }

  /** Releases timer and listener once all bytes have arrived, whether or not they have been read. */
  release(): void {
    this.#unlisten();
    this.#deadline[Symbol.dispose]();
  }

  /** Releases everything. */
  end(): void {
    this.release();
    this.#cancel();
  }

  /** The caller's reason if it aborted, else a KubeError that names the request. */
  toError(reason: unknown): Error {
    const { signal, what, deadlineMs } = this.#options;
    if (signal.aborted) return abortReason(signal);
    if (this.signal.aborted) {
      return new KubeError("timeout", `${what}: no complete answer within ${deadlineMs} ms`, { cause: reason });
    }
    if (reason instanceof KubeError) {
      if (reason.message.startsWith(what)) return reason;
      const { status, retryAfterMs, fault, message } = reason;
      const known = status === undefined ? { retryAfterMs } : { retryAfterMs, status };
      return new KubeError(fault, `${what}: ${message}`, { cause: reason, ...known });
    }
    const { fault, why } = networkFaultOf(reason);
    return new KubeError(fault, `${what}: ${why}`, { cause: reason });
  }
}
