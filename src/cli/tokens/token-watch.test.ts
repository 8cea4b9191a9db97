// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { abortReason } from "../../base/abort.ts";
import { WatchTokensResponseSchema } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import type { OutputFormat } from "../output/output.ts";
import { type FakeCall, fakeCall, fakeToken } from "../testing/fake-hub.ts";
import { watchTokens } from "./token-watch.ts";

type Message = MessageInitShape<typeof WatchTokensResponseSchema>;

const messages: readonly Message[] = [
  { event: { case: "upserted", value: fakeToken() }, cursor: "c1" },
  { event: { case: "bookmark", value: { snapshotComplete: true } }, cursor: "c2" },
  { event: { case: "deleted", value: "tok_1" }, cursor: "c3" },
  { cursor: "c4" },
];

/** Sends the messages to the first reader, then stops the command. */
function sendThenStop(output: OutputFormat = "text"): FakeCall {
  const fake = fakeCall(
    {
      async *watchTokens() {
        for (const message of messages) yield create(WatchTokensResponseSchema, message);
        fake.stop.abort(new Error("SIGINT"));
      },
    },
    output,
  );
  return fake;
}

test("tokens and their changes are a line each", async () => {
  const { call, stdout, stderr } = sendThenStop();
  await watchTokens(call, "");
  expect(stdout()).toBe("upserted  tok_1  ann  dev,ops  5m ago  never  for the pipeline\ndeleted   tok_1\n");
  expect(stderr()).toBe("flotilla: these are all tokens; changes follow\n");
});

test("as JSON each event is a line with its cursor, and what this build does not know is left out", async () => {
  const { call, stdout } = sendThenStop("json");
  await watchTokens(call, "");
  const lines: unknown[] = stdout()
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(lines).toMatchObject([
    { type: "upserted", token: { id: "tok_1", revision: "12" }, cursor: "c1" },
    { type: "bookmark", snapshotComplete: true, cursor: "c2" },
    { type: "deleted", id: "tok_1", cursor: "c3" },
  ]);
});

test("as YAML each event is a document", async () => {
  const { call, stdout } = sendThenStop("yaml");
  await watchTokens(call, "");
  expect(stdout().match(/^---$/gm)).toHaveLength(3);
});

test("[CL2] a hub that restarts is said once, and the watch goes on from its cursor", async () => {
  const asked: string[] = [];
  const { call, stop, stdout, stderr } = fakeCall({
    async *watchTokens({ cursor }): AsyncGenerator<Message> {
      asked.push(cursor);
      if (asked.length === 1) yield* messages;
      if (asked.length === 2) throw new ConnectError("the hub is closing", Code.Unavailable);
      if (asked.length < 4) return;
      yield { event: { case: "deleted", value: "tok_2" }, cursor: "c5" };
      stop.abort(new Error("SIGINT"));
    },
  });
  await watchTokens(call, "");
  expect(asked).toEqual(["", "c4", "c4", "c4"]);
  expect(stdout()).toMatch(/deleted {3}tok_1\ndeleted {3}tok_2\n$/);
  expect(stderr()).toContain("the hub was lost (the hub ended the watch); retrying until it answers, Ctrl-C stops\n");
  expect(stderr()).toMatch(/the hub answers again; the watch continues\n$/);
});

test("[CL2] a position that is gone after a restart shows all tokens again, and says that changes were missed", async () => {
  const asked: string[] = [];
  const { call, stop, stderr } = fakeCall({
    async *watchTokens({ cursor }): AsyncGenerator<Message> {
      asked.push(cursor);
      if (cursor === "c4") throw new ConnectError("compacted", Code.OutOfRange);
      yield* messages;
      if (asked.length === 3) stop.abort(new Error("SIGINT"));
    },
  });
  await watchTokens(call, "");
  expect(asked).toEqual(["", "c4", ""]);
  expect(stderr()).toContain("changes were missed; all tokens follow\n");
});

test("a cursor given that is gone is a failure, and so is a hub that does not answer the first time", async () => {
  const gone = fakeCall({
    async *watchTokens({ cursor }): AsyncGenerator<Message> {
      if (cursor === "c1") throw new ConnectError("compacted", Code.OutOfRange);
      yield* messages;
    },
  });
  await expect(watchTokens(gone.call, "c1")).rejects.toMatchObject({ code: "GONE" });
  const silent = fakeCall({}, "text", () => {
    throw new ConnectError("connection refused", Code.Unavailable);
  });
  await expect(watchTokens(silent.call, "")).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

test("the cursor given is where it goes on, and stopping it is not a failure", async () => {
  const asked: string[] = [];
  const { call, stop } = fakeCall({
    async *watchTokens({ cursor }, { signal }): AsyncGenerator<Message> {
      asked.push(cursor);
      yield { event: { case: "bookmark", value: {} }, cursor: "c8" };
      stop.abort(new Error("SIGINT"));
      await new Promise((_resolve, reject) => {
        if (signal.aborted) reject(abortReason(signal));
        signal.addEventListener("abort", () => reject(abortReason(signal)));
      });
    },
  });
  await expect(watchTokens(call, "c7")).resolves.toBeUndefined();
  expect(asked).toEqual(["c7"]);
});
