// SPDX-License-Identifier: Apache-2.0
import type { ServerHttp2Session } from "node:http2";
import type { CancelTimer, Clock } from "../base/clock.ts";
import { guardListener, type TaskGuard } from "../base/task-guard.ts";
import type { ListenerLimits } from "./listener-limits.ts";

/**
 * Why a connection was ended by us. `limit`: too many of them; `share`: too many of one address without authentication;
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

/** How a watch looks at time, and what it calls. */
export interface SessionWatchOptions {
  readonly clock: Clock;
  readonly limits: ListenerLimits;
  /** Runs the listeners of the connection and its streams. */
  readonly guard: TaskGuard;
  /** Ends the connection at once. */
  readonly cut: (reason: CutReason) => void;
}

/**
 * Keeps one HTTP/2 connection honest until it closes. Frames of a connection come one after the other, so a peer that
 * stalls within a frame or a header block cannot answer a PING either: the preface and SETTINGS have their own deadline,
 * everything after is found by PING. A connection without streams is closed with GOAWAY after the idle time.
 */
export function watchSession(session: ServerHttp2Session, options: SessionWatchOptions): void {
  const { clock, limits, guard, cut } = options;
  let openCount = 0;
  let cancelPing: CancelTimer = () => undefined;
  let cancelIdle: CancelTimer = () => undefined;
  const cancelSettings = clock.setTimer(limits.headersTimeoutMs, () => cut("headers"));

  const ping = (): void => {
    if (session.destroyed) return; // Node throws, and tells of the end in a moment
    cancelPing = clock.setTimer(limits.pingTimeoutMs, () => {
      // Where it was this process that had no time, the answer waits unread: it is read before the connection is judged.
      cancelPing = clock.setTimer(1, () => cut("ping"));
    });
    const onAnswer = (failure: Error | null): void => {
      cancelPing();
      if (failure === null && !session.destroyed) cancelPing = clock.setTimer(limits.pingIntervalMs, ping);
    };
    session.ping(guardListener(guard, "answer to a PING", onAnswer));
  };
  const startIdle = (): void => {
    cancelIdle();
    cancelIdle = clock.setTimer(limits.idleTimeoutMs, () => {
      session.close();
      // A peer that ignores GOAWAY gets no second chance.
      cancelIdle = clock.setTimer(limits.pingTimeoutMs, () => cut("idle"));
    });
  };

  session.once("remoteSettings", () => {
    cancelSettings();
    if (!session.destroyed) cancelPing = clock.setTimer(limits.pingIntervalMs, ping);
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
