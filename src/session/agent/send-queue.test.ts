// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { SendQueue } from "./send-queue.ts";
import type { Intent } from "./session-event.ts";

function takeAll(line: SendQueue, canFlush = true): Intent[] {
  const taken: Intent[] = [];
  for (let intent = line.take(() => canFlush); intent !== undefined; intent = line.take(() => canFlush))
    taken.push(intent);
  return taken;
}

test("[SE29] heartbeats leave before state, statuses before the digests that count on them, flushes last", () => {
  const line = new SendQueue();
  const intents: Intent[] = [
    { kind: "flush" },
    { kind: "root" },
    { kind: "kinds", all: false },
    { kind: "statuses", all: false },
    { kind: "tunnelFailures", failures: [] },
    { kind: "heartbeat", number: 1 },
  ];
  for (const intent of intents) line.add(intent);
  const order = ["heartbeat", "tunnelFailures", "statuses", "kinds", "root", "flush"];
  expect(takeAll(line).map(({ kind }) => kind)).toEqual(order);
});

test("[L13] however much is asked for, at most one of each kind waits, and says what all would", () => {
  const line = new SendQueue();
  for (let number = 1; number <= 1_000; number += 1) {
    line.add({ kind: "heartbeat", number });
    line.add({ kind: "statuses", all: number === 3 });
    line.add({ kind: "kinds", all: number === 3 });
    line.add({ kind: "buckets", resources: ["pods", number % 2 === 0 ? "services" : "nodes"] });
  }
  expect(takeAll(line)).toEqual([
    { kind: "heartbeat", number: 1_000 },
    { kind: "statuses", all: true },
    { kind: "kinds", all: true },
    { kind: "buckets", resources: ["pods", "nodes", "services"] },
  ]);
});

test("[L13] [TU4] of failed tunnels the newest wait, as many as an agent has open", () => {
  const line = new SendQueue();
  const error = new FlotillaError("UNAVAILABLE", "the hub cannot be reached");
  const failures = Array.from({ length: 100 }, (_, at) => ({ tunnelId: `tun_${at}`, error }));
  for (const failure of failures) line.add({ kind: "tunnelFailures", failures: [failure] });
  expect(takeAll(line)).toEqual([{ kind: "tunnelFailures", failures: failures.slice(-32) }]);
});

test("[L13] [SE66] of answers to hints the newest wait, as many as an agent reads at once", () => {
  const line = new SendQueue();
  const answers = Array.from({ length: 100 }, (_, number) => ({ number, result: "unchanged" as const }));
  for (const answer of answers) line.add({ kind: "hintAnswers", answers: [answer] });
  expect(takeAll(line)).toEqual([{ kind: "hintAnswers", answers: answers.slice(-16) }]);
});

test("[SE20] a flush without credit stays, and holds nothing else back", () => {
  const line = new SendQueue();
  line.add({ kind: "flush" });
  line.add({ kind: "root" });
  expect(takeAll(line, false)).toEqual([{ kind: "root" }]);
  expect(takeAll(line)).toEqual([{ kind: "flush" }]);
});

test("[SE31] after a goodbye nothing that waited is said", () => {
  const line = new SendQueue();
  line.add({ kind: "root" });
  line.add({ kind: "flush" });
  line.add({ kind: "goodbye", reason: "stop" });
  expect(takeAll(line)).toEqual([{ kind: "goodbye", reason: "stop" }]);
});
