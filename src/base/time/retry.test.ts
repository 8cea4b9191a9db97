// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "../assert.ts";
import { FlotillaError } from "../error.ts";
import type { ErrorCode } from "../error-codes.ts";
import { type LogFields, type Logger, silentLogger } from "../log.ts";
import { createSeededRandom } from "../random.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { longestRetryAfterMs, retryAfterMsOf } from "./backoff.ts";
import { type Attempt, type RetryOptions, retry } from "./retry.ts";

/** Chance that always draws the ceiling but for a hair, so that waits show the curve. */
const high = { ...createSeededRandom(1), next: () => 1 - 2 ** -53 };
const backoff = { firstMs: 1_000, factor: 2, capMs: 30_000, stableMs: 60_000 };
const unavailable = (ids = {}): FlotillaError => new FlotillaError("UNAVAILABLE", "no answer", { ids });

interface SetUp {
  readonly clock: ManualClock;
  readonly stop: AbortController;
  readonly atMs: number[];
  /** Runs the loop over `attempt`, noting when each attempt began. */
  readonly run: <T>(attempt: Attempt<T>, options?: Partial<RetryOptions>) => Promise<T>;
}

function setUp(): SetUp {
  const clock = new ManualClock();
  const stop = new AbortController();
  const atMs: number[] = [];
  return {
    clock,
    stop,
    atMs,
    run: (attempt, options) =>
      retry(
        (signal, markHealthy) => {
          atMs.push(Math.round(clock.nowMs()));
          return attempt(signal, markHealthy);
        },
        { what: "session", clock, random: high, log: silentLogger, backoff, ...options },
        stop.signal,
      ),
  };
}

describe("retry", () => {
  test("[N-41] goes on with growing waits until an attempt succeeds", async () => {
    const { clock, atMs, run } = setUp();
    const running = run(async () => {
      if (atMs.length < 5) throw unavailable();
      return "connected";
    });
    await clock.advance(20_000);
    expect(await running).toBe("connected");
    expect(atMs).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    expect(clock.timerCount).toBe(0);
  });

  test("[N-41] after an outage of 24 h it connects within one cap interval", async () => {
    const { clock, atMs, run } = setUp();
    const outageMs = 86_400_000;
    const capMs = 300_000;
    const running = run(
      async () => {
        if (clock.nowMs() < outageMs) throw unavailable();
      },
      { random: createSeededRandom("outage"), backoff: { ...backoff, capMs } },
    );
    await clock.advance(outageMs + capMs);
    await running;
    expect(atMs.at(-1)).toBeLessThanOrEqual(outageMs + capMs);
  });

  test.each<[ErrorCode]>([["PERMISSION_DENIED"], ["UNAUTHENTICATED"], ["GONE"], ["INTERNAL"]])(
    "%s is thrown at once: trying the same again cannot help",
    async (code) => {
      const { atMs, run } = setUp();
      const error = new FlotillaError(code, "no");
      await expect(run(() => Promise.reject(error))).rejects.toBe(error);
      expect(atMs).toHaveLength(1);
    },
  );

  test("a bug or a foreign error is thrown as it is", async () => {
    const bug = new BugError("impossible");
    await expect(setUp().run(() => Promise.reject(bug))).rejects.toBe(bug);
    const foreign = new TypeError("x is not a function");
    await expect(setUp().run(() => Promise.reject(foreign))).rejects.toBe(foreign);
  });

  test("[N-37] with a limit of attempts the last error is thrown", async () => {
    const { clock, atMs, run } = setUp();
    const running = run(async () => Promise.reject(unavailable({ attempt: atMs.length })), { attemptLimit: 3 });
    await Promise.all([expect(running).rejects.toMatchObject({ ids: { attempt: 3 } }), clock.advance(60_000)]);
    expect(atMs).toEqual([0, 1_000, 3_000]);
  });

  test("[U-52] waits start over only after an attempt was healthy for the stable time", async () => {
    const { clock, atMs, stop, run } = setUp();
    const healthyForMs = [0, 0, 59_999, 0, 60_000, 0];
    const running = run(async (signal, markHealthy) => {
      markHealthy();
      await clock.sleep(healthyForMs[atMs.length - 1] ?? 0, signal);
      throw unavailable();
    });
    clock.setTimer(140_000, () => stop.abort(new Error("done")));
    await Promise.all([expect(running).rejects.toThrow("done"), clock.advance(140_000)]);
    const waitsMs = atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? 0) - (healthyForMs[index] ?? 0));
    expect(waitsMs.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 1_000, 2_000]);
  });

  test("[U-52] time spent connecting is not healthy time", async () => {
    const { clock, atMs, run } = setUp();
    const running = run(
      async (signal) => {
        await clock.sleep(100_000, signal);
        throw unavailable();
      },
      { attemptLimit: 3 },
    );
    await Promise.all([expect(running).rejects.toThrow("no answer"), clock.advance(400_000)]);
    expect(atMs).toEqual([0, 101_000, 203_000]);
  });

  test("[N-36] waits as long as the other side asked, plus the jittered backoff", async () => {
    const { clock, atMs, run } = setUp();
    const running = run(async () => {
      if (atMs.length === 1) throw unavailable({ retryAfterMs: 45_000 });
    });
    await clock.advance(46_000);
    await running;
    expect(atMs).toEqual([0, 46_000]);
  });

  test("an abort while it waits ends it with the reason given, without a timer", async () => {
    const { clock, stop, run } = setUp();
    const running = run(() => Promise.reject(unavailable()));
    clock.setTimer(500, () => stop.abort(new Error("closing")));
    await Promise.all([expect(running).rejects.toThrow("closing"), clock.advance(500)]);
    expect(clock.timerCount).toBe(0);
  });

  test("an attempt cut short by the abort gives the reason of the abort and is not logged", async () => {
    const { stop, run } = setUp();
    const lines: string[] = [];
    const running = run(
      async (signal) => {
        stop.abort(new Error("closing"));
        throw new FlotillaError("INTERNAL", "cut", { cause: signal.reason });
      },
      { log: recordingLogger(lines) },
    );
    await expect(running).rejects.toThrow("closing");
    expect(lines).toEqual([]);
  });

  test("an attempt that fails as the signal aborts is not tried again", async () => {
    const { stop, atMs, run } = setUp();
    const running = run(async () => {
      stop.abort(new Error("closing"));
      throw unavailable();
    });
    await expect(running).rejects.toThrow("closing");
    expect(atMs).toHaveLength(1);
  });

  test("an aborted signal lets no attempt begin", async () => {
    const { stop, atMs, run } = setUp();
    stop.abort(new Error("closing"));
    await expect(run(async () => "never")).rejects.toThrow("closing");
    expect(atMs).toEqual([]);
  });

  test("a failed attempt is logged with its fault, where it has one, and its sentence", async () => {
    const { clock, run } = setUp();
    const told: LogFields[] = [];
    const log: Logger = { ...silentLogger, info: (_message, fields = {}) => void told.push(fields) };
    const errors = [Object.assign(unavailable(), { fault: "tcp" }), unavailable()];
    const running = run(() => Promise.reject(errors.shift() ?? new Error("enough")), { log });
    await Promise.all([expect(running).rejects.toThrow("enough"), clock.advance(10_000)]);
    expect(told).toMatchObject([{ code: "UNAVAILABLE", fault: "tcp", detail: "no answer" }, { detail: "no answer" }]);
    expect(Object.keys(told[1] ?? {})).not.toContain("fault");
  });

  test("the level of the log rises with the wait", async () => {
    const { clock, run } = setUp();
    const lines: string[] = [];
    const running = run(() => Promise.reject(unavailable()), {
      log: recordingLogger(lines),
      backoff: { ...backoff, firstMs: 100, factor: 10 },
      attemptLimit: 5,
    });
    await Promise.all([expect(running).rejects.toThrow("no answer"), clock.advance(100_000)]);
    expect(lines).toEqual([
      "debug UNAVAILABLE 1 100",
      "info UNAVAILABLE 2 1000",
      "warn UNAVAILABLE 3 10000",
      "warn UNAVAILABLE 4 30000",
    ]);
  });
});

function recordingLogger(lines: string[]): Logger {
  const record =
    (level: string) =>
    (_message: string, fields: LogFields = {}) => {
      lines.push(`${level} ${fields["code"]} ${fields["attemptCount"]} ${fields["delayMs"]}`);
    };
  return { ...silentLogger, debug: record("debug"), info: record("info"), warn: record("warn") };
}

test("[L12] what the other side asks for is honoured within bounds", () => {
  expect(retryAfterMsOf(unavailable({ retryAfterMs: 250 }))).toBe(250);
  expect(retryAfterMsOf(unavailable({ retryAfterMs: 1e15 }))).toBe(longestRetryAfterMs);
  for (const retryAfterMs of [-5, Number.NaN, "7"]) expect(retryAfterMsOf(unavailable({ retryAfterMs }))).toBe(0);
  expect(retryAfterMsOf(unavailable())).toBe(0);
  expect(retryAfterMsOf(new Error("foreign"))).toBe(0);
});
