// SPDX-License-Identifier: Apache-2.0
// Tunnels on a network that breaks: whoever asked is told within the deadline, and the next question is answered.
import { expect, test } from "vitest";
import { FlotillaError } from "../../src/base/error.ts";
import { openTunnelBench, type TunnelBench } from "../support/tunnel-bench.ts";

const deadlineMs = 15_000;

/** An API server that is asked and does not answer before it is told to, or the request is ended. */
class HangingReader {
  readonly signals: AbortSignal[] = [];

  constructor(bench: TunnelBench) {
    bench.setReader((_read, signal) => {
      this.signals.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
  }

  /** Until that many questions have come. */
  async untilAsked(count = 1): Promise<void> {
    await expect.poll(() => this.signals.length).toBe(count);
  }

  /** Until every request has been ended. */
  async untilEnded(): Promise<void> {
    await expect.poll(() => this.signals.every(({ aborted }) => aborted)).toBe(true);
  }
}

/** That a question is answered, before the test itself is given up. */
async function expectAnswer(bench: TunnelBench, signal: AbortSignal): Promise<void> {
  bench.setReader(async ({ name }) => Buffer.from(name));
  expect(String(await bench.ask("cart", signal))).toBe("cart");
}

test("a connection that is cut while the API server is asked: the asker is told at once, the request is ended, the next question dials anew", async ({
  signal,
}) => {
  await using bench = await openTunnelBench();
  const reader = new HangingReader(bench);
  const answered = Promise.allSettled([bench.ask("a"), bench.ask("b")]);
  await reader.untilAsked(2);
  bench.proxy.set("reset");
  for (const outcome of await answered)
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "UNAVAILABLE" } });
  await reader.untilEnded();
  await bench.untilQuiet();
  bench.proxy.set("open");
  await expectAnswer(bench, signal);
  expect(new Set(bench.tunnelsFrom).size).toBe(2);
});

test("[TU4] a hub that cannot be reached by its agent: the asker is told at once, the next question is answered", async ({
  signal,
}) => {
  await using bench = await openTunnelBench();
  bench.proxy.set("reset");
  const message = expect.stringMatching(
    /^the agent of east could not answer: .*https:\/\/127\.0\.0\.1:\d+ cannot be reached/,
  );
  await expect(bench.ask("a", signal)).rejects.toMatchObject({ code: "UNAVAILABLE", message });
  await bench.untilQuiet();
  bench.proxy.set("open");
  await expectAnswer(bench, signal);
});

test("[TU4] a network that swallows the answer: the asker is told by the deadline, and both ends let go", async () => {
  await using bench = await openTunnelBench();
  const reader = new HangingReader(bench);
  const refused = expect(bench.ask("a")).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
  await reader.untilAsked();
  bench.proxy.set("silent");
  await bench.clock.advance(deadlineMs - 1);
  expect(reader.signals[0]?.aborted).toBe(false);
  await bench.clock.advance(1);
  await refused;
  await reader.untilEnded();
  await bench.untilQuiet();
});

test("[TU4] a connection that swallows everything is found out while a question waits on it: the request is ended and the asker told before the deadline, the next question dials anew", async ({
  signal,
}) => {
  await using bench = await openTunnelBench();
  const reader = new HangingReader(bench);
  const refused = expect(bench.ask("a", signal)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: "the agent of east could not answer: the tunnel was closed before the response was complete",
  });
  await reader.untilAsked();
  bench.proxy.set("silent");
  await bench.wireClock.advance(6_000);
  await refused;
  await reader.untilEnded();
  expect(bench.clock.nowMs()).toBe(0);
  bench.proxy.set("open");
  await expectAnswer(bench, signal);
});

test("a connection that was forgotten on the way while nobody asked costs no question", async ({ signal }) => {
  await using bench = await openTunnelBench();
  await expectAnswer(bench, signal);
  await bench.untilQuiet();
  bench.proxy.set("silent");
  bench.proxy.set("open");
  // A connection that was quiet for a while is asked by PING before it is used.
  await bench.wireClock.advance(2_001);
  const answered = expectAnswer(bench, signal);
  await expect.poll(() => bench.wireClock.nextDueMs).toBe(2_001 + 3_000);
  await bench.wireClock.advance(3_001);
  await answered;
  expect(new Set(bench.tunnelsFrom).size).toBe(2);
});

test("[TU4] a dial into a network that swallows everything is over with its own limit, and the asker told: the next question dials anew", async ({
  signal,
}) => {
  await using bench = await openTunnelBench();
  bench.proxy.set("silent");
  const refused = expect(bench.ask("a", signal)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringContaining("could not answer: a connection to "),
  });
  await bench.wireClock.advance(bench.wire.connectTimeoutMs);
  await refused;
  await bench.untilQuiet();
  bench.proxy.set("open");
  await expectAnswer(bench, signal);
});

test("a body that is swallowed half way is a failure, never a part of an object", async () => {
  await using bench = await openTunnelBench();
  const half = Promise.withResolvers<void>();
  bench.setReader(async () => Buffer.alloc(3_000_000, 1));
  bench.holdBodies(half.promise);
  const refused = expect(bench.ask("a")).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
  await expect.poll(() => bench.tunnelsFrom.length).toBe(1);
  bench.proxy.set("silent");
  half.resolve();
  await bench.clock.advance(deadlineMs);
  await refused;
  await bench.untilQuiet();
});

test("a body that is cut half way is a failure, never a part of an object", async ({ signal }) => {
  await using bench = await openTunnelBench();
  const half = Promise.withResolvers<void>();
  bench.setReader(async () => Buffer.alloc(3_000_000, 1));
  bench.holdBodies(half.promise);
  const refused = expect(bench.ask("a")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect.poll(() => bench.tunnelsFrom.length).toBe(1);
  bench.proxy.set("reset");
  half.resolve();
  await refused;
  await bench.untilQuiet();
  bench.proxy.set("open");
  await expectAnswer(bench, signal);
});

test("[TU9] an answer of the API server that breaks off is what it broke off with, never a part of an object", async ({
  signal,
}) => {
  await using bench = await openTunnelBench();
  bench.setReader(async function* () {
    yield Buffer.alloc(200_000, 1);
    throw new FlotillaError("UNAVAILABLE", "the API server ended its answer half way");
  });
  await expect(bench.ask("a", signal)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: "the API server ended its answer half way",
  });
  await bench.untilQuiet();
  await expectAnswer(bench, signal);
});

test("a hub that restarts: what was asked fails, what is asked of the next one is answered, on a connection of its own", async ({
  signal,
}) => {
  await using bench = await openTunnelBench();
  await expectAnswer(bench, signal);
  const reader = new HangingReader(bench);
  const refused = expect(bench.ask("a")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await reader.untilAsked();
  await bench.restartHub();
  await refused;
  await reader.untilEnded();
  await bench.untilQuiet();
  await expectAnswer(bench, signal);
  expect(new Set(bench.tunnelsFrom).size).toBe(2);
});

test("an idle connection to a hub that has restarted meanwhile costs no question", async ({ signal }) => {
  await using bench = await openTunnelBench();
  await expectAnswer(bench, signal);
  await bench.restartHub();
  await expectAnswer(bench, signal);
});

test("[TU4] an agent that is told and never comes: the asker is told by the deadline, and what is asked next does not suffer from it", async ({
  signal,
}) => {
  await using bench = await openTunnelBench();
  bench.setDeaf(true);
  const refused = expect(bench.ask("a")).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
  await bench.clock.advance(deadlineMs);
  await refused;
  await bench.untilQuiet();
  bench.setDeaf(false);
  await expectAnswer(bench, signal);
});
