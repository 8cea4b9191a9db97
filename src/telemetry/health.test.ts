// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../base/error.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { Health } from "./health.ts";
import { answerHealth } from "./health-answer.ts";

const ok = (): Promise<void> => Promise.resolve();

test("[U-73] a hub without its database is live and not ready, and says which check failed and why", async () => {
  const health = new Health({ clock: new ManualClock() });
  health.setCheck("listeners", ok);
  health.setCheck("store", () => Promise.reject(new FlotillaError("STORE_CORRUPT", "the store file is damaged")));
  expect(await answerHealth(health, "/livez")).toMatchObject({ status: 200, body: "ok\n" });
  const readyz = await answerHealth(health, "/readyz");
  expect(readyz).toMatchObject({ status: 503 });
  expect(readyz?.body).toBe("[+] listeners: ok\n[-] store: the store file is damaged\nreadyz: not ready\n");
});

test("[U-73] it is ready again as soon as the check passes again", async () => {
  const health = new Health({ clock: new ManualClock() });
  let isBroken = true;
  health.setCheck("store", () => (isBroken ? Promise.reject(new FlotillaError("UNAVAILABLE", "away")) : ok()));
  expect((await answerHealth(health, "/readyz"))?.status).toBe(503);
  isBroken = false;
  expect((await answerHealth(health, "/readyz"))?.status).toBe(200);
});

test("[U-73] a check that hangs is not ready at its deadline, is told to stop, and runs once however often it is asked", async () => {
  const clock = new ManualClock();
  const health = new Health({ clock, deadlineMs: 500 });
  let runCount = 0;
  let stopped: AbortSignal | undefined;
  health.setCheck("store", (signal) => {
    runCount += 1;
    stopped = signal;
    return new Promise(() => undefined);
  });
  const answers = Promise.all([answerHealth(health, "/readyz"), answerHealth(health, "/readyz")]);
  await clock.advance(499);
  expect(stopped?.aborted).toBe(false);
  await clock.advance(1);
  for (const answer of await answers) {
    expect(answer?.status).toBe(503);
    expect(answer?.body).toContain("[-] store: the answer of store did not come within 500 ms");
  }
  expect(stopped?.aborted).toBe(true);
  const third = answerHealth(health, "/readyz");
  await clock.advance(500);
  expect((await third)?.status).toBe(503);
  expect(runCount).toBe(1);
  expect(clock.timerCount).toBe(0);
});

test("[L14] a slow check does not hide what the others say, nor add to their time", async () => {
  const clock = new ManualClock();
  const health = new Health({ clock, deadlineMs: 500 });
  health.setCheck("slow", () => clock.sleep(400));
  health.setCheck("slower", () => clock.sleep(450));
  const answer = answerHealth(health, "/healthz");
  await clock.advance(450);
  expect(JSON.parse((await answer)?.body ?? "")).toEqual({
    live: true,
    ready: true,
    checks: [
      { name: "slow", ready: true, tookMs: 400 },
      { name: "slower", ready: true, tookMs: 450 },
    ],
  });
});

test("a check that throws at once is a failed check, and foreign text stays inside", async () => {
  const health = new Health({ clock: new ManualClock() });
  health.setCheck("odd", () => {
    throw new TypeError("cannot read secrets of undefined");
  });
  const answer = await answerHealth(health, "/readyz");
  expect(answer?.status).toBe(503);
  expect(answer?.body).toContain("[-] odd: unexpected internal error");
});

describe("without proof", () => {
  test("[U-73] with no check registered it is not ready", async () => {
    expect((await answerHealth(new Health({ clock: new ManualClock() }), "/readyz"))?.status).toBe(503);
  });

  test("[U-73] a process that is closing is live and not ready, though every check passes", async () => {
    const health = new Health({ clock: new ManualClock() });
    health.setCheck("store", ok);
    health.drain();
    expect((await answerHealth(health, "/livez"))?.status).toBe(200);
    const answer = await answerHealth(health, "/healthz");
    expect(answer?.status).toBe(503);
    expect(answer?.body).toContain("the process is closing");
  });
});

describe("answers", () => {
  const health = new Health({ clock: new ManualClock() });
  health.setCheck("store", ok);

  test.each([
    ["/readyz", "ok\n"],
    ["/readyz?verbose", "[+] store: ok\nreadyz: ok\n"],
    ["/livez?verbose=1", "[+] event loop: ok\nlivez: ok\n"],
  ])("%s is %j", async (target, body) => {
    expect(await answerHealth(health, target)).toMatchObject({ status: 200, body });
  });

  test("another path is not answered", async () => {
    expect(await answerHealth(health, "/readyz/store")).toBeUndefined();
  });
});
