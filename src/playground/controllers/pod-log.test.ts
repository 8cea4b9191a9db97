// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../apiserver/json/json.ts";
import type { ObjectReader } from "../../apiserver/resources/object-reader.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { linesBetween, podLogLines } from "./pod-log.ts";
import { podLogResponse } from "./pod-log-response.ts";

const startedAtMs = Date.UTC(2026, 0, 1);
const nowMs = startedAtMs + 60_000;

function podOf(state: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    metadata: { name: "web-0", namespace: "shop", uid: "6f0f6c1e" },
    spec: { containers: [{ name: "web", image: "web:1" }] },
    status: { containerStatuses: [{ name: "web", image: "web:1", restartCount: 0, lastState: {}, state, ...more }] },
  };
}

const running = podOf({ running: { startedAt: new Date(startedAtMs).toISOString() } });

describe("lines of a log", () => {
  test("are the same whenever they are asked for, and none is lost or told twice", () => {
    const whole = linesBetween(running, undefined, 0, nowMs);
    expect(whole.length).toBeGreaterThan(15);
    expect(linesBetween(running, undefined, 0, nowMs)).toEqual(whole);
    const pieces = [10, 20, 30, 40, 50, 60].flatMap((seconds) =>
      linesBetween(
        running,
        undefined,
        seconds === 10 ? 0 : startedAtMs + (seconds - 10) * 1000,
        startedAtMs + seconds * 1000,
      ),
    );
    const byTime = (lines: typeof whole): readonly string[] => lines.map(({ atMs, text }) => `${atMs} ${text}`).sort();
    expect(byTime(pieces)).toEqual(byTime(whole));
  });

  test("are cut to the last ones, and to those since a time", () => {
    const all = podLogLines(running, {}, nowMs);
    expect(podLogLines(running, { tailLines: 3 }, nowMs)).toEqual(all.slice(-3));
    expect(podLogLines(running, { tailLines: 0 }, nowMs)).toEqual([]);
    expect(podLogLines(running, { sinceSeconds: 10 }, nowMs).length).toBeLessThan(8);
  });

  test("carry their times when asked to, in order", () => {
    const lines = podLogLines(running, { timestamps: true }, nowMs);
    expect(lines[0]).toMatch(/^2026-01-01T00:00:00\.\d{9}Z level=info/);
    expect([...lines].sort()).toEqual([...lines]);
  });

  test("end with the reason where a container crashed", () => {
    const times = { startedAt: "2026-01-01T00:00:00Z", finishedAt: "2026-01-01T00:00:09Z" };
    const pod = podOf(
      { waiting: { reason: "CrashLoopBackOff" } },
      { lastState: { terminated: { exitCode: 1, ...times } } },
    );
    expect(podLogLines(pod, {}, nowMs).at(-1)).toMatch(/^level=fatal .*exit_code=1$/);
  });
});

describe("the answer to pods/log", () => {
  const answer = (pod: JsonObject, query = ""): string => {
    const objects: ObjectReader = { get: () => pod, list: () => [pod] };
    const { body } = podLogResponse(objects, { namespace: "shop", name: "web-0" }, new URLSearchParams(query), nowMs);
    return new TextDecoder().decode(body as Uint8Array);
  };

  test("is text of lines", () => {
    expect(answer(running, "tailLines=2").trimEnd().split("\n")).toEqual(podLogLines(running, { tailLines: 2 }, nowMs));
  });

  test("refuses a container that waits, or that there is not", () => {
    expect(() => answer(podOf({ waiting: { reason: "ContainerCreating" } }))).toThrow(
      'container "web" in pod "web-0" is waiting to start: ContainerCreating',
    );
    expect(() => answer(podOf({ waiting: { reason: "ImagePullBackOff" } }))).toThrow(
      'container "web" in pod "web-0" is waiting to start: trying and failing to pull image',
    );
    expect(() => answer(running, "container=db")).toThrow("container db is not valid for pod web-0");
  });

  test("goes on while it is followed, until the client leaves", async () => {
    const clock = new ManualClock({ wallStartMs: nowMs });
    const leaving = new AbortController();
    const objects: ObjectReader = { get: () => running, list: () => [running] };
    const pod = { namespace: "shop", name: "web-0" };
    const query = new URLSearchParams("follow=true&tailLines=1");
    const { body } = podLogResponse(objects, pod, query, nowMs, { clock, signal: leaving.signal });
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(new TextDecoder().decode(chunk));
    })();
    await clock.advance(20_000);
    leaving.abort(new Error("the client has gone"));
    await expect(reading).rejects.toThrow("the client has gone");
    const later = linesBetween(running, "web", nowMs, nowMs + 20_000);
    expect(chunks.join("").trimEnd().split("\n")).toHaveLength(1 + later.length);
  });
});
