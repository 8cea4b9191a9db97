// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { nextCronTimeMs } from "./cron-times.ts";

test.each([
  ["* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"],
  ["*/15 * * * *", "2026-01-01T00:07:12Z", "2026-01-01T00:15:00Z"],
  ["30 4 * * *", "2026-01-01T04:30:00Z", "2026-01-02T04:30:00Z"],
  ["0 0 1 jan *", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  ["0 12 * * mon-fri", "2026-01-02T13:00:00Z", "2026-01-05T12:00:00Z"],
  ["0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
  ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"],
  ["5,10-12 1 * * *", "2026-01-01T01:05:00Z", "2026-01-01T01:10:00Z"],
  ["10/20 * * * *", "2026-01-01T00:31:00Z", "2026-01-01T00:50:00Z"],
  ["@hourly", "2026-01-01T00:30:00Z", "2026-01-01T01:00:00Z"],
  ["@weekly", "2026-01-01T00:30:00Z", "2026-01-04T00:00:00Z"],
  ["@every 90s", "2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z"],
  ["@every 1h30m", "2026-01-01T00:00:00Z", "2026-01-01T01:30:00Z"],
  ["@every 1ms", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"],
  ["TZ=Europe/Berlin @daily", "2026-01-01T00:30:00Z", "2026-01-02T00:00:00Z"],
])("%s after %s is %s", (schedule, after, expected) => {
  expect(new Date(nextCronTimeMs(schedule, Date.parse(after)) ?? 0).toISOString()).toBe(expected.replace("Z", ".000Z"));
});

test.each(["0 0 31 2 *", "nonsense", "* * * *"])("%s never comes", (schedule) => {
  expect(nextCronTimeMs(schedule, 0)).toBeUndefined();
});
