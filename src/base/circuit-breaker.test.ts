// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "./assert.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { FlotillaError, hasCode } from "./error.ts";
import { ManualClock } from "./manual-clock.ts";

const isFault = (error: unknown): boolean => hasCode(error, "UNAVAILABLE");
const succeed = async (): Promise<string> => "well";
const fault = (): Promise<never> => Promise.reject(new FlotillaError("UNAVAILABLE", "no answer"));
const refuse = (): Promise<never> => Promise.reject(new FlotillaError("NOT_FOUND", "no such object"));

function setUp(faultLimit = 3): { clock: ManualClock; breaker: CircuitBreaker; changes: string[] } {
  const clock = new ManualClock();
  const changes: string[] = [];
  const breaker = new CircuitBreaker({
    name: "hub",
    clock,
    faultLimit,
    openMs: 1_000,
    isDependencyFault: isFault,
    onChange: (to, from) => changes.push(`${from} -> ${to}`),
  });
  return { clock, breaker, changes };
}

async function fail(breaker: CircuitBreaker, count: number): Promise<void> {
  for (let failed = 0; failed < count; failed += 1) await expect(breaker.call(fault)).rejects.toThrow("no answer");
}

/** A call whose end the test decides. */
function openCall(breaker: CircuitBreaker, signal?: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ended = breaker
    .call(() => promise, signal)
    .then(
      () => "well",
      (error: unknown) => (error instanceof FlotillaError ? error.code : "cancelled"),
    );
  return {
    ended,
    succeed: () => resolve("well"),
    fault: () => reject(new FlotillaError("UNAVAILABLE", "no answer")),
    cancel: reject,
  };
}

describe("circuit breaker", () => {
  test("opens after so many faults in a row and then calls nothing", async () => {
    const { clock, breaker, changes } = setUp();
    await fail(breaker, 2);
    expect(breaker.state).toEqual({ kind: "closed", faultCount: 2 });
    await fail(breaker, 1);
    await clock.advance(400);
    let isCalled = false;
    const call = breaker.call(async () => {
      isCalled = true;
    });
    const error: unknown = await call.catch((reason: unknown) => reason);
    expect(hasCode(error, "BREAKER_OPEN") && error.ids).toEqual({ dependency: "hub", retryAfterMs: 600 });
    expect(String(error)).toContain("calls to hub are blocked for another 600 ms because it keeps failing");
    expect(isCalled).toBe(false);
    expect(changes).toEqual(["closed -> open"]);
  });

  test("an answer in between starts the count anew, be it a success or a refusal that is not the dependency's fault", async () => {
    for (const answer of [succeed, refuse]) {
      const { breaker } = setUp();
      await fail(breaker, 2);
      await Promise.allSettled([breaker.call<unknown>(answer)]);
      await fail(breaker, 2);
      expect(breaker.state.kind).toBe("closed");
    }
  });

  test("errors that are not the dependency's fault never open it", async () => {
    const { breaker } = setUp();
    for (let called = 0; called < 10; called += 1) await expect(breaker.call(refuse)).rejects.toThrow("no such object");
    expect(breaker.state).toEqual({ kind: "closed", faultCount: 0 });
  });

  test("after the period one probe passes, the others are refused, and its success closes the breaker", async () => {
    const { clock, breaker, changes } = setUp();
    await fail(breaker, 3);
    await clock.advance(1_000);
    const probe = openCall(breaker);
    expect(breaker.state).toEqual({ kind: "halfOpen", isProbing: true });
    await expect(breaker.call(succeed)).rejects.toThrow("until the running probe has ended");
    probe.succeed();
    expect(await probe.ended).toBe("well");
    expect(await breaker.call(succeed)).toBe("well");
    expect(changes).toEqual(["closed -> open", "open -> halfOpen", "halfOpen -> closed"]);
  });

  test("a probe that fails opens it for another whole period", async () => {
    const { clock, breaker } = setUp();
    await fail(breaker, 3);
    await clock.advance(1_500);
    await fail(breaker, 1);
    expect(breaker.state).toEqual({ kind: "open", untilMs: 2_500 });
    await clock.advance(999);
    await expect(breaker.call(succeed)).rejects.toThrow("for another 1 ms");
    await clock.advance(1);
    expect(await breaker.call(succeed)).toBe("well");
  });

  test("a cancelled call counts neither way", async () => {
    const { breaker } = setUp();
    const stop = new AbortController();
    await fail(breaker, 2);
    const call = openCall(breaker, stop.signal);
    stop.abort(new Error("closing"));
    call.cancel(new FlotillaError("UNAVAILABLE", "cut", { cause: stop.signal.reason }));
    await call.ended;
    expect(breaker.state).toEqual({ kind: "closed", faultCount: 2 });
  });

  test("a cancelled probe makes place for the next one", async () => {
    const { clock, breaker } = setUp();
    await fail(breaker, 3);
    await clock.advance(1_000);
    const stop = new AbortController();
    const probe = openCall(breaker, stop.signal);
    stop.abort(new Error("closing"));
    probe.cancel(stop.signal.reason);
    expect(await probe.ended).toBe("cancelled");
    expect(breaker.state).toEqual({ kind: "halfOpen", isProbing: false });
    expect(await breaker.call(succeed)).toBe("well");
    expect(breaker.state.kind).toBe("closed");
  });

  test("a call that began before the breaker opened neither closes it nor prolongs the period when it ends", async () => {
    const { clock, breaker } = setUp();
    const [early, late] = [openCall(breaker), openCall(breaker)];
    await fail(breaker, 3);
    await clock.advance(500);
    early.succeed();
    late.fault();
    expect([await early.ended, await late.ended]).toEqual(["well", "UNAVAILABLE"]);
    expect(breaker.state).toEqual({ kind: "open", untilMs: 1_000 });
  });

  test("a late end of an early call does not decide for the probe", async () => {
    const { clock, breaker } = setUp();
    const early = openCall(breaker);
    await fail(breaker, 3);
    await clock.advance(1_000);
    const probe = openCall(breaker);
    early.succeed();
    await early.ended;
    expect(breaker.state.kind).toBe("halfOpen");
    probe.fault();
    await probe.ended;
    expect(breaker.state.kind).toBe("open");
  });

  test("a failing dependency gets a bounded rate of calls, however many callers there are", async () => {
    const { clock, breaker } = setUp();
    let callCount = 0;
    for (let ms = 0; ms < 10_000; ms += 50) {
      for (let caller = 0; caller < 5; caller += 1) {
        const failing = breaker.call(() => {
          callCount += 1;
          return fault();
        });
        await expect(failing).rejects.toThrow(FlotillaError);
      }
      await clock.advance(50);
    }
    expect(callCount).toBeLessThanOrEqual(3 + 10);
    expect(callCount).toBeGreaterThanOrEqual(10);
  });
});

test("a function that throws before it returns a promise is counted like any other, and a bug passes through", async () => {
  const { breaker } = setUp(1);
  const bug = breaker.call(() => {
    throw new BugError("impossible");
  });
  await expect(bug).rejects.toThrow(BugError);
  const failing = breaker.call(() => {
    throw new FlotillaError("UNAVAILABLE", "no answer");
  });
  await expect(failing).rejects.toThrow("no answer");
  expect(breaker.state.kind).toBe("open");
});

test("limits that cannot work are refused by name", () => {
  expect(() => setUp(0)).toThrow("the circuit breaker of hub needs a faultLimit of 1 or more and an openMs over 0");
});
