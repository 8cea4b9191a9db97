// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort, throwIfAborted } from "../abort.ts";
import { FlotillaError } from "../error.ts";
import type { Clock } from "./clock.ts";

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly limitMs: number;
  /** The awaited thing, for the error message: "the answer of the hub". */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

/** A signal with a deadline. Dispose it when the work is done (`using`), otherwise its timer and listener stay. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Opens a signal that aborts with the parent's reason when the parent aborts, and with DEADLINE_EXCEEDED after
 * `limitMs`.
 */
export function openDeadline({ clock, limitMs, what, signal: parent }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const cancelTimer = clock.setTimer(limitMs, () => {
    controller.abort(
      new FlotillaError("DEADLINE_EXCEEDED", `${what} did not come within ${limitMs} ms`, { ids: { limitMs } }),
    );
  });
  const unlisten = parent === undefined ? undefined : onAbort(parent, () => controller.abort(parent.reason));
  const dispose = (): void => {
    cancelTimer();
    unlisten?.();
  };
  onAbort(controller.signal, dispose);
  return { signal: controller.signal, [Symbol.dispose]: dispose };
}

/**
 * Returns the result of `run`. Throws DEADLINE_EXCEEDED after `limitMs`, or the parent's reason when it aborts; `run`
 * is not called if it has already aborted. It does not wait for a `run` that ignores its signal and discards its later
 * result, so `run` must release its own resources.
 */
export async function withDeadline<T>(run: (signal: AbortSignal) => Promise<T>, options: DeadlineOptions): Promise<T> {
  using deadline = openDeadline(options);
  const { signal } = deadline;
  throwIfAborted(signal);
  let unlisten: (() => void) | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    unlisten = onAbort(signal, () => reject(abortReason(signal)));
  });
  try {
    return await Promise.race([ended, run(signal)]);
  } finally {
    unlisten?.();
  }
}
