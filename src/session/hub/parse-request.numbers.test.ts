// SPDX-License-Identifier: Apache-2.0
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ConnectRequestSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import { parseRequest } from "./parse-request.ts";
import { extremeMessages } from "./testing/extreme-messages.ts";

/** Every number in a value, however deep. */
function* numbersIn(value: unknown): Generator<number, void, undefined> {
  if (typeof value === "number") yield value;
  else if (value instanceof Uint8Array) return;
  else if (value instanceof Map || Array.isArray(value)) for (const each of value.values()) yield* numbersIn(each);
  else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) yield* numbersIn(each);
}

describe("numbers of a message", () => {
  const extremes = [...extremeMessages(ConnectRequestSchema)];

  test("[SE55] every numeric field of every message is tried", () => {
    const fields = new Set(extremes.map(({ path }) => path));
    expect(fields).toContain("heartbeat.oldest_waiting_ms");
    expect(fields).toContain("kind_statuses.statuses.since_ms_ago");
    expect(fields).toContain("digests.kinds.bucket_row_counts");
    expect(fields.size).toBeGreaterThanOrEqual(25);
  });

  test("[SE55] [SE4] none becomes a fact that a page could not be told: it is refused, or a safe integer in seconds of 32 bits", () => {
    for (const { path, message } of extremes) {
      const parsed = parseRequest(toBinary(ConnectRequestSchema, create(ConnectRequestSchema, message)), 1_000_000);
      for (const number of numbersIn(parsed)) expect(number, path).toSatisfy(Number.isSafeInteger);
      if (parsed.kind === "heartbeat") {
        const { oldestWaitingMs, apiServerSinceMsAgo, apiServerRetryInMs } = parsed.heartbeat;
        for (const ms of [oldestWaitingMs, apiServerSinceMsAgo, apiServerRetryInMs])
          expect(Math.floor(ms / 1_000), path).toBeLessThan(2 ** 32);
      }
    }
  });
});
