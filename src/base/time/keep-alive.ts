// SPDX-License-Identifier: Apache-2.0
// Checks by PING whether the peer of an HTTP/2 connection still answers. Frames are processed in order, so a stalled
// peer answers no PING either.
import type { CancelTimer, Clock } from "./clock.ts";

/** The part of Node's HTTP/2 session that PINGs use. */
export interface PingableSession {
  /** True after the session has ended. `ping` then throws; the session has emitted its own `close` event. */
  readonly destroyed: boolean;
  ping(callback: (failure: Error | null) => void): unknown;
}

/** `answered` in time; `failed`: the connection has ended; `late`: no answer in time. */
export type PingOutcome = "answered" | "failed" | "late";

/**
 * Sends one PING and calls back once, unless it is cancelled. A session that closes gracefully drops a PING without an
 * answer, so cancel it then.
 */
export function sendPing(
  session: PingableSession,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  onOutcome: (outcome: PingOutcome) => void,
): CancelTimer {
  let isOver = false;
  let cancelTimer: CancelTimer = () => undefined;
  const cancel = (): void => {
    isOver = true;
    cancelTimer();
  };
  const finish = (outcome: PingOutcome): void => {
    if (isOver) return;
    cancel();
    onOutcome(outcome);
  };
  if (session.destroyed) {
    finish("failed");
    return cancel;
  }
  cancelTimer = clock.setTimer(timeoutMs, () => {
    // If this process was busy, the answer may have arrived unread. One more turn of the event loop reads it.
    cancelTimer = clock.setTimer(1, () => finish("late"));
  });
  session.ping((failure) => finish(failure === null ? "answered" : "failed"));
  return cancel;
}

/** The interval of PINGs, and the time limit of an answer. */
export interface KeepAliveOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Called when an answer is late. No more PINGs are sent. */
  readonly onLate: () => void;
}

/**
 * Sends a PING at every interval, one at a time, until it is cancelled, the connection ends or an answer is late.
 * Cancel it when the session closes.
 */
export function keepAlive(session: PingableSession, options: KeepAliveOptions): CancelTimer {
  const { clock, intervalMs, onLate } = options;
  let cancel: CancelTimer = () => undefined;
  const wait = (): void => {
    cancel = clock.setTimer(intervalMs, () => {
      cancel = sendPing(session, options, (outcome) => {
        if (outcome === "late") onLate();
        else if (outcome === "answered" && !session.destroyed) wait();
      });
    });
  };
  wait();
  return () => cancel();
}
