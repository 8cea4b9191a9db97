// SPDX-License-Identifier: Apache-2.0
import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { createTaskGuard } from "../../base/task-guard.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { ConnectRequestSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import { createRecordingLogger } from "../../rpc/testing/recorder.ts";
import { defaultSessionLimits } from "../../session/hub/session-limits.ts";
import type { StreamEnd } from "../../session/transport.ts";
import { SessionDriver, type SessionDriverParts } from "./session-driver.ts";
import { SessionFeed } from "./session-feed.ts";

/** A message of a kind that no hub knows. */
const unknownMessage = new Uint8Array();

const hello = toBinary(
  ConnectRequestSchema,
  create(ConnectRequestSchema, {
    message: {
      case: "hello",
      value: { protocol: 1, clusterId: "east", clusterUid: "uid", agentId: "agt_1", incarnation: "inc_1" },
    },
  }),
);

function rigOf(receive: AsyncIterable<Uint8Array>, send: StreamEnd["send"] = () => Promise.resolve()) {
  const log = createRecordingLogger();
  const counted: string[] = [];
  const closings: unknown[] = [];
  const end: StreamEnd = {
    receive,
    send,
    close: (error) => void closings.push(error?.message),
    closed: Promise.resolve({ kind: "ended" }),
  };
  const parts: SessionDriverParts = {
    clock: new ManualClock(),
    log,
    guard: createTaskGuard({ log, failures: { add: ({ task }) => void counted.push(task) } }),
    hubName: "hub",
    context: { limits: defaultSessionLimits, maxKindCount: 2_000, nonce: new Uint8Array(32) },
    admit: () => Promise.reject(new Error("nothing is decided here")),
    feed: new SessionFeed(),
  };
  return { driver: new SessionDriver(parts, end, "10.0.0.1"), log, counted, closings };
}

async function* messages(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

test("[L14] an exception of the hub's own code on a message is logged as an error and counted, and ends that session alone", async () => {
  const bug = new TypeError("cannot read properties of undefined");
  const { driver, log, counted, closings } = rigOf(messages(hello, hello), () => {
    throw bug;
  });
  await driver.run();
  expect(driver.isEnded).toBe(true);
  expect(counted).toEqual(["message of a session"]);
  const errors = log.lines.filter(({ level }) => level === "error");
  expect(errors).toMatchObject([{ fields: { task: "message of a session", peer: "10.0.0.1" }, error: bug }]);
  expect(closings).toHaveLength(1);
});

test("[L14] a stream is closed when the hub's own code fails while it rejects a message", async () => {
  const malformed = new Uint8Array([0xff]);
  const { driver, counted, closings } = rigOf(messages(malformed), () => {
    throw new TypeError("cannot read properties of undefined");
  });
  await driver.run();
  expect(counted).toEqual(["message of a session"]);
  expect(closings).toEqual(["the hub failed on a message of the agent; its log has the reason"]);
});

test("a stream that breaks is no error of the hub", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield unknownMessage;
    throw new FlotillaError("UNAVAILABLE", "the connection was reset");
  }
  const { driver, log, counted } = rigOf(broken());
  await driver.run();
  expect([driver.isEnded, counted, log.lines]).toEqual([true, [], []]);
});
