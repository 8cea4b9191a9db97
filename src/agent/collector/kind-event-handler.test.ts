// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import { identityOf } from "../../kinds/object-identity.ts";
import { KubeError } from "../../kube/kube-error.ts";
import { KindEventHandler } from "./kind-event-handler.ts";
import { KindReportStore } from "./kind-report-store.ts";
import type { ObjectHandler } from "./object-handler.ts";
import { Refusals } from "./refusals.ts";

function openEvents() {
  const clock = new ManualClock();
  const reports = new KindReportStore(clock);
  const told: unknown[] = [];
  const handler: ObjectHandler = {
    beginList: () => void told.push("begin"),
    takeObject: () => void told.push("object"),
    takeDeleted: () => void told.push("deleted"),
    endList: (keepsUnseen) => void told.push(keepsUnseen ? "end, keeping" : "end"),
    empty: () => undefined,
    close: () => undefined,
  };
  const refusals = new Refusals((refusedCount, refusedError) => reports.write("pods", { refusedCount, refusedError }));
  const events = new KindEventHandler({ resources: ["pods"], version: "v1", handlers: [handler], refusals, reports });
  return { clock, reports, told, events };
}

const tooLarge = new KubeError("malformed", "an object of pods has more than 8388608 bytes");

test("[L4][KU15] a list of which an object could not be read removes nothing, and the next whole one does", () => {
  const { events, told, reports } = openEvents();
  events.take({ kind: "listing" });
  events.take({ kind: "object", object: {}, identity: identityOf({}) });
  events.take({ kind: "skipped", error: tooLarge });
  events.take({ kind: "listed", objectCount: 1, byteCount: 1 });
  expect(told).toEqual(["begin", "object", "end, keeping"]);
  expect(reports.get("pods")).toMatchObject({ refusedCount: 1, refusedError: tooLarge.message });
  events.take({ kind: "listing" });
  events.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  expect(told.slice(3)).toEqual(["begin", "end"]);
});

test("[L9] each poll is told with its time; that a watch is current again is not", async () => {
  const { events, clock, reports } = openEvents();
  let toldCount = 0;
  reports.subscribe(() => {
    toldCount += 1;
  });
  events.take({ kind: "current", mode: "watch" });
  const before = toldCount;
  await clock.advance(30_000);
  events.take({ kind: "current", mode: "watch" });
  expect([toldCount, reports.get("pods")?.state]).toEqual([before, KindState.WATCHING]);
  events.take({ kind: "current", mode: "poll" });
  const polled = toldCount;
  await clock.advance(30_000);
  events.take({ kind: "current", mode: "poll" });
  expect([toldCount, reports.get("pods")?.currentAtMs]).toEqual([polled + 1, 60_000]);
});

test("[SE47] a list that a watch goes on from is told with its time; one of a poll is not, nor a watch that resumed", async () => {
  const { events, clock, reports } = openEvents();
  let toldCount = 0;
  reports.subscribe(() => {
    toldCount += 1;
  });
  const listedAtMs = (): number | undefined => reports.get("pods")?.listedAtMs;
  await clock.advance(1_000);
  events.take({ kind: "listing" });
  events.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  expect(listedAtMs()).toBeUndefined();
  events.take({ kind: "current", mode: "watch" });
  expect(listedAtMs()).toBe(1_000);
  await clock.advance(1_000);
  events.take({ kind: "failed", error: new KubeError("tcp", "refused"), attemptCount: 1, retryInMs: 5 });
  events.take({ kind: "current", mode: "watch" });
  expect(listedAtMs()).toBe(1_000);
  const before = toldCount;
  events.take({ kind: "listing" });
  events.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  events.take({ kind: "current", mode: "watch" });
  expect([listedAtMs(), toldCount]).toEqual([2_000, before + 1]);
  await clock.advance(1_000);
  events.take({ kind: "listing" });
  events.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  events.take({ kind: "current", mode: "poll" });
  events.take({ kind: "current", mode: "watch" });
  expect(listedAtMs()).toBe(2_000);
});

test("[N-39] a failure says whether listing or watching failed", () => {
  const { events, reports } = openEvents();
  const error = new KubeError("forbidden", "pods is forbidden");
  events.take({ kind: "failed", error, attemptCount: 1, retryInMs: 5 });
  expect(reports.get("pods")).toMatchObject({ state: KindState.FAILED, verb: "list", fault: "forbidden" });
  events.take({ kind: "listing" });
  events.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  events.take({ kind: "current", mode: "watch" });
  expect(reports.get("pods")).toMatchObject({ state: KindState.WATCHING, verb: "", fault: "", error: "" });
  events.take({ kind: "failed", error, attemptCount: 1, retryInMs: 5 });
  expect(reports.get("pods")).toMatchObject({ state: KindState.FAILED, verb: "watch" });
});
