// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../testing/manual-clock.ts";
import { keepAlive, type PingableSession, sendPing } from "./keep-alive.ts";

/** A session whose PINGs a test answers. */
class TestSession implements PingableSession {
  destroyed = false;
  readonly pings: ((failure: Error | null) => void)[] = [];

  ping(callback: (failure: Error | null) => void): void {
    this.pings.push(callback);
  }
}

test("[L11] a peer is asked again an interval after it answered, and is late after the time to answer", async () => {
  const [clock, session] = [new ManualClock(), new TestSession()];
  let lateCount = 0;
  keepAlive(session, { clock, intervalMs: 100, timeoutMs: 20, onLate: () => (lateCount += 1) });
  await clock.advance(100);
  session.pings[0]?.(null);
  await clock.advance(99);
  expect(session.pings.length).toBe(1);
  await clock.advance(1);
  expect(session.pings.length).toBe(2);
  await clock.advance(20);
  expect(lateCount).toBe(0);
  await clock.advance(1);
  expect(lateCount).toBe(1);
  await clock.advance(1_000);
  expect([session.pings.length, clock.timerCount]).toEqual([2, 0]);
});

test("an answer that came in time and is read late, because this process was busy, is an answer", async () => {
  const [clock, session] = [new ManualClock(), new TestSession()];
  const outcomes: string[] = [];
  sendPing(session, { clock, timeoutMs: 20 }, (outcome) => outcomes.push(outcome));
  await clock.advance(20);
  session.pings[0]?.(null);
  await clock.advance(1);
  expect(outcomes).toEqual(["answered"]);
});

test("nothing is asked of a session that is destroyed, and a cancelled one is heard no more", async () => {
  const [clock, session] = [new ManualClock(), new TestSession()];
  const outcomes: string[] = [];
  const cancel = sendPing(session, { clock, timeoutMs: 20 }, (outcome) => outcomes.push(outcome));
  cancel();
  session.pings[0]?.(new Error("the session was closed"));
  session.destroyed = true;
  sendPing(session, { clock, timeoutMs: 20 }, (outcome) => outcomes.push(outcome));
  expect([outcomes, session.pings.length, clock.timerCount]).toEqual([["failed"], 1, 0]);
});
