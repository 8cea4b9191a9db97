// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createTaskGuard } from "../../base/task-guard.ts";
import { createRecordingLogger } from "../../rpc/testing/recorder.ts";
import { SessionFeed } from "./session-feed.ts";

test("[L14] a failing handler is counted and logged with its cluster, and the others still receive the event", () => {
  const log = createRecordingLogger();
  const counted: string[] = [];
  const feed = new SessionFeed(createTaskGuard({ log, failures: { add: ({ task }) => void counted.push(task) } }));
  const received: string[] = [];
  feed.subscribe({
    messageUnknown: () => {
      throw new TypeError("cannot read properties of undefined");
    },
  });
  feed.subscribe({ messageUnknown: ({ cluster }) => void received.push(cluster) });
  feed.publish({ kind: "messageUnknown", cluster: "east", address: "10.0.0.1", nowMs: 0 });
  expect(received).toEqual(["east"]);
  expect(counted).toEqual(["observer messageUnknown"]);
  expect(log.lines).toMatchObject([{ level: "error", fields: { task: "observer messageUnknown", cluster: "east" } }]);
});
