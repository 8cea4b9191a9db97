// SPDX-License-Identifier: Apache-2.0
import { EventEmitter } from "node:events";
import type { ServerHttp2Session } from "node:http2";
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { defaultListenerLimits as limits } from "./listener-limits.ts";
import { type CutReason, watchSession } from "./session-watch.ts";

/** A connection whose peer answers a PING when the test says so. */
class TestSession extends EventEmitter {
  destroyed = false;
  answer: (() => void) | undefined;

  ping(answered: (failure: Error | null) => void): void {
    if (this.destroyed) throw new Error("ERR_HTTP2_INVALID_SESSION"); // as Node does
    this.answer = () => answered(null);
  }

  close(): void {
    return undefined;
  }
}

function watch(): { readonly clock: ManualClock; readonly session: TestSession; readonly cuts: CutReason[] } {
  const clock = new ManualClock();
  const session = new TestSession();
  const cuts: CutReason[] = [];
  watchSession(session as unknown as ServerHttp2Session, {
    clock,
    limits,
    cut: (reason) => cuts.push(reason),
  });
  session.emit("remoteSettings");
  session.emit("stream", new EventEmitter());
  return { clock, session, cuts };
}

test("[RP9] a peer that does not answer a PING in time is cut", async () => {
  const { clock, cuts } = watch();
  await clock.advance(limits.pingIntervalMs + limits.pingTimeoutMs);
  expect(cuts).toEqual([]);
  await clock.advance(1);
  expect(cuts).toEqual(["ping"]);
});

test("[RP9] an answer that was there in time counts, although the hub was too busy to read it before the deadline", async () => {
  const { clock, session, cuts } = watch();
  await clock.advance(limits.pingIntervalMs);
  // The deadline's timer runs first, as it does in a loop that was held up, and what the socket holds is read after it.
  await clock.advance(limits.pingTimeoutMs);
  session.answer?.();
  await clock.advance(limits.pingIntervalMs - 1);
  expect(cuts).toEqual([]);
  await clock.advance(1 + limits.pingTimeoutMs + 1);
  expect(cuts).toEqual(["ping"]);
});

test("[RP9] a PING that falls due between the end of a connection and Node's telling of it ends no process", async () => {
  const { clock, session, cuts } = watch();
  session.destroyed = true;
  await clock.advance(limits.pingIntervalMs);
  session.emit("close");
  expect([cuts, clock.timerCount]).toEqual([[], 0]);
});
