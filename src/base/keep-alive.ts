// SPDX-License-Identifier: Apache-2.0
// Finds out by PING whether the peer of an HTTP/2 connection is there. Frames come one after the other, so a peer that
// stalls answers no PING either.
import type { CancelTimer, Clock } from "./clock.ts";

/** What is needed of Node's HTTP/2 session. */
export interface PingableSession {
  /** Such a session throws at a PING, and tells of its end by itself. */
  readonly destroyed: boolean;
  ping(callback: (failure: Error | null) => void): unknown;
}

/** `answered` in time; `failed`: the connection has ended; `late`: no answer in time. */
export type PingOutcome = "answered" | "failed" | "late";

/**
 * Sends one PING and calls back once, unless it is cancelled. A session that closes in order forgets a PING: cancel it
 * then.
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
    // Where it was this process that had no time, the answer waits unread: it is read before the connection is judged.
    cancelTimer = clock.setTimer(1, () => finish("late"));
  });
  session.ping((failure) => finish(failure === null ? "answered" : "failed"));
  return cancel;
}

/** How often the peer is asked, and how long it has to answer. */
export interface KeepAliveOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** No answer came in time; nothing more is asked. */
  readonly onLate: () => void;
}

/**
 * Asks by PING at every interval, one at a time, until it is cancelled, the connection ends or an answer is late.
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
