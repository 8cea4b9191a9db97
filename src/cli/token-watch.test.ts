// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { abortReason } from "../base/abort.ts";
import { WatchTokensResponseSchema } from "../gen/flotilla/admin/v1/admin_pb.ts";
import { fakeCall, fakeToken } from "./testing/fake-hub.ts";
import { watchTokens } from "./token-watch.ts";

type Message = MessageInitShape<typeof WatchTokensResponseSchema>;

const messages: readonly Message[] = [
  { event: { case: "upserted", value: fakeToken() }, cursor: "c1" },
  { event: { case: "bookmark", value: { snapshotComplete: true } }, cursor: "c2" },
  { event: { case: "deleted", value: "tok_1" }, cursor: "c3" },
  { cursor: "c4" },
];

async function* send(): AsyncGenerator<Message> {
  for (const message of messages) yield create(WatchTokensResponseSchema, message);
}

test("[L11] a watch that the hub ends is a failure with the cursor to go on from", async () => {
  const { call, stdout, stderr } = fakeCall({ watchTokens: send });
  await expect(watchTokens(call, "")).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: "the hub ended the watch; go on with --cursor c4",
  });
  expect(stdout()).toBe("upserted  tok_1  ann  dev,ops  5m ago  never  for the pipeline\ndeleted   tok_1\n");
  expect(stderr()).toBe("flotilla: these are all tokens; changes follow\n");
});

test("as JSON each event is a line with its cursor, and what this build does not know is left out", async () => {
  const { call, stdout } = fakeCall({ watchTokens: send }, "json");
  await expect(watchTokens(call, "")).rejects.toMatchObject({ code: "UNAVAILABLE" });
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
  const { call, stdout } = fakeCall({ watchTokens: send }, "yaml");
  await expect(watchTokens(call, "")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(stdout().match(/^---$/gm)).toHaveLength(3);
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
