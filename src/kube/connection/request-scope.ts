// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { type Deadline, openDeadline } from "../../base/deadline.ts";
import { KubeError } from "../kube-error.ts";
import { networkFaultOf } from "./network-fault.ts";

/** What one request stands under. */
export interface RequestScopeOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** `GET /api/v1/pods of prod`, for messages. */
  readonly what: string;
}

/** The time of one request: from its call to the end of its answer. It knows whether a failure is the caller's wish, the deadline's, or the network's. */
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

  /** Aborts with the caller's reason, or when the deadline has passed. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get tookMs(): number {
    return this.#options.clock.nowMs() - this.#startedMs;
  }

  /** The head has come; `cancel` is what ends the body. Without `isEndless` the deadline goes on to count (KU2). */
  holdBody(cancel: () => void, isEndless: boolean): void {
    this.#cancel = cancel;
    if (isEndless) this.#deadline[Symbol.dispose]();
    this.#unlisten = onAbort(isEndless ? this.#options.signal : this.signal, cancel);
  }

  /** Nothing more comes: no timer and no listener is needed any longer, whether or not somebody reads what has come. */
  release(): void {
    this.#unlisten();
    this.#deadline[Symbol.dispose]();
  }

  /** Lets go of everything. */
  end(): void {
    this.release();
    this.#cancel();
  }

  /** The caller's reason where it aborted, else a KubeError that names the request. */
  toError(reason: unknown): Error {
    const { signal, what, deadlineMs } = this.#options;
    if (signal.aborted) return abortReason(signal);
    if (this.signal.aborted) {
      return new KubeError("timeout", `${what}: no whole answer within ${deadlineMs} ms`, { cause: reason });
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
