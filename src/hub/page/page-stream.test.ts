// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { CountedMetrics } from "../fleet/testing/counted-metrics.ts";
import { PageMetrics } from "./page-metrics.ts";
import { PageStream } from "./page-stream.ts";

test("[PG26] the first message says which page is served here, and no other does", async () => {
  const clock = new ManualClock();
  const leaving = new AbortController();
  const stream = new PageStream({
    streamId: "page_1",
    tokenId: "tok_1",
    pageVersion: "assets/index-12345678.js",
    clock,
    metrics: new PageMetrics(new CountedMetrics()),
    step: () => 0,
  });
  const messages = stream.messages(leaving.signal);
  expect((await messages.next()).value).toMatchObject({ streamId: "page_1", pageVersion: "assets/index-12345678.js" });
  const heartbeat = messages.next();
  await clock.advance(5_000);
  expect(Object.keys((await heartbeat).value ?? {})).toEqual(["nowMs", "wallMs"]);
  leaving.abort(new Error("the tab is closed"));
  expect(await messages.next()).toEqual({ done: true, value: undefined });
});
