// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import { identityOf } from "../../kinds/object-identity.ts";
import { KubeError } from "../../kube/kube-error.ts";
import { KindEventHandler } from "./kind-event-handler.ts";
import { KindReportStore } from "./kind-report-store.ts";
import type { ObjectHandler } from "./object-handler.ts";
import { Refusals } from "./refusals.ts";

function openStory() {
  const clock = new ManualClock();
  const book = new KindReportStore(clock);
  const told: unknown[] = [];
  const taker: ObjectHandler = {
    beginList: () => void told.push("begin"),
    takeObject: () => void told.push("object"),
    takeDeleted: () => void told.push("deleted"),
    endList: (keepsUnseen) => void told.push(keepsUnseen ? "end, keeping" : "end"),
    empty: () => undefined,
    close: () => undefined,
  };
  const refusals = new Refusals((refusedCount, refusedError) => book.write("pods", { refusedCount, refusedError }));
  const story = new KindEventHandler({ resources: ["pods"], version: "v1", takers: [taker], refusals, book });
  return { clock, book, told, story };
}

const tooLarge = new KubeError("malformed", "an object of pods has more than 8388608 bytes");

test("[L4][KU15] a list of which an object could not be read removes nothing, and the next whole one does", () => {
  const { story, told, book } = openStory();
  story.take({ kind: "listing" });
  story.take({ kind: "object", object: {}, identity: identityOf({}) });
  story.take({ kind: "skipped", error: tooLarge });
  story.take({ kind: "listed", objectCount: 1, byteCount: 1 });
  expect(told).toEqual(["begin", "object", "end, keeping"]);
  expect(book.get("pods")).toMatchObject({ refusedCount: 1, refusedError: tooLarge.message });
  story.take({ kind: "listing" });
  story.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  expect(told.slice(3)).toEqual(["begin", "end"]);
});

test("[L9] each poll is told with its time; that a watch is current again is not", async () => {
  const { story, clock, book } = openStory();
  let toldCount = 0;
  book.subscribe(() => {
    toldCount += 1;
  });
  story.take({ kind: "current", mode: "watch" });
  const before = toldCount;
  await clock.advance(30_000);
  story.take({ kind: "current", mode: "watch" });
  expect([toldCount, book.get("pods")?.state]).toEqual([before, KindState.WATCHING]);
  story.take({ kind: "current", mode: "poll" });
  const polled = toldCount;
  await clock.advance(30_000);
  story.take({ kind: "current", mode: "poll" });
  expect([toldCount, book.get("pods")?.currentAtMs]).toEqual([polled + 1, 60_000]);
});

test("[SE47] a list that a watch goes on from is told with its time; one of a poll is not, nor a watch that resumed", async () => {
  const { story, clock, book } = openStory();
  let toldCount = 0;
  book.subscribe(() => {
    toldCount += 1;
  });
  const listedAtMs = (): number | undefined => book.get("pods")?.listedAtMs;
  await clock.advance(1_000);
  story.take({ kind: "listing" });
  story.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  expect(listedAtMs()).toBeUndefined();
  story.take({ kind: "current", mode: "watch" });
  expect(listedAtMs()).toBe(1_000);
  await clock.advance(1_000);
  story.take({ kind: "failed", error: new KubeError("tcp", "refused"), attemptCount: 1, retryInMs: 5 });
  story.take({ kind: "current", mode: "watch" });
  expect(listedAtMs()).toBe(1_000);
  const before = toldCount;
  story.take({ kind: "listing" });
  story.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  story.take({ kind: "current", mode: "watch" });
  expect([listedAtMs(), toldCount]).toEqual([2_000, before + 1]);
  await clock.advance(1_000);
  story.take({ kind: "listing" });
  story.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  story.take({ kind: "current", mode: "poll" });
  story.take({ kind: "current", mode: "watch" });
  expect(listedAtMs()).toBe(2_000);
});

test("[N-39] a failure says whether listing or watching failed", () => {
  const { story, book } = openStory();
  const error = new KubeError("forbidden", "pods is forbidden");
  story.take({ kind: "failed", error, attemptCount: 1, retryInMs: 5 });
  expect(book.get("pods")).toMatchObject({ state: KindState.FAILED, verb: "list", fault: "forbidden" });
  story.take({ kind: "listing" });
  story.take({ kind: "listed", objectCount: 0, byteCount: 0 });
  story.take({ kind: "current", mode: "watch" });
  expect(book.get("pods")).toMatchObject({ state: KindState.WATCHING, verb: "", fault: "", error: "" });
  story.take({ kind: "failed", error, attemptCount: 1, retryInMs: 5 });
  expect(book.get("pods")).toMatchObject({ state: KindState.FAILED, verb: "watch" });
});
