// SPDX-License-Identifier: Apache-2.0
import type { ServerHttp2Session } from "node:http2";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { keepAlive } from "../../base/time/keep-alive.ts";
import type { ListenerLimits } from "./listener-limits.ts";

/**
 * Why the hub ended a connection. `limit`: too many connections; `share`: too many unauthenticated ones of one address;
 * `unauthenticated`: nothing on it was authenticated in time; `drain`: the deadline of a drain.
 */
export type CutReason =
  | "handshake"
  | "headers"
  | "ping"
  | "idle"
  | "body"
  | "answer"
  | "limit"
  | "share"
  | "unauthenticated"
  | "drain";

export interface SessionWatchOptions {
  readonly clock: Clock;
  readonly limits: ListenerLimits;
  /** Ends the connection at once. */
  readonly cut: (reason: CutReason) => void;
}

/**
 * Enforces the deadlines of one HTTP/2 connection until it closes. The preface and SETTINGS have their own deadline;
 * later stalls are found by PING. A connection without streams is closed with GOAWAY after the idle time.
 */
export function watchSession(session: ServerHttp2Session, options: SessionWatchOptions): void {
  const { clock, limits, cut } = options;
  let openCount = 0;
  let cancelPing: CancelTimer = () => undefined;
  let cancelIdle: CancelTimer = () => undefined;
  const cancelSettings = clock.setTimer(limits.headersTimeoutMs, () => cut("headers"));

  const startIdle = (): void => {
    cancelIdle();
    cancelIdle = clock.setTimer(limits.idleTimeoutMs, () => {
      session.close();
      // A peer that ignores GOAWAY is cut.
      cancelIdle = clock.setTimer(limits.pingTimeoutMs, () => cut("idle"));
    });
  };

  session.once("remoteSettings", () => {
    cancelSettings();
    if (session.destroyed) return;
    const { pingIntervalMs: intervalMs, pingTimeoutMs: timeoutMs } = limits;
    cancelPing = keepAlive(session, { clock, intervalMs, timeoutMs, onLate: () => cut("ping") });
  });
  session.on("stream", (stream) => {
    openCount += 1;
    cancelIdle();
    stream.once("close", () => {
      openCount -= 1;
      if (openCount === 0 && !session.destroyed) startIdle();
    });
  });
  session.once("close", () => {
    cancelSettings();
    cancelPing();
    cancelIdle();
  });
  startIdle();
}
