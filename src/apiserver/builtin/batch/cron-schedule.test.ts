// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseSchedule } from "./cron-schedule.ts";
import { validateTimeZone } from "./time-zone.ts";

test.each([
  "*/5 * * * *",
  "0 9-17/2 1,15 jan-DEC mon",
  "@hourly",
  "@every 1h30m",
  "@every -1.5s",
  "? * * * *",
  "5/10 * * * *",
])("%s is a schedule", (schedule) => {
  expect(parseSchedule(schedule)).toBeTypeOf("object");
});

test.each([
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["a-b * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
  ["*/-1 * * * *", "negative number (-1) not allowed: -1"],
  ["@every 1x", 'failed to parse duration @every 1x: time: unknown unit "x" in duration "1x"'],
  ["TZ=Nowhere * * * * *", "provided bad location Nowhere: unknown time zone Nowhere"],
])("%s is none", (schedule, sentence) => {
  expect(parseSchedule(schedule)).toBe(sentence);
});

test.each([
  ["Europe/Berlin", 0],
  ["Etc/GMT+3", 0],
  ["europe/berlin", 1],
  ["+02", 1],
  ["local", 2],
])("the time zone %s has %i errors", (zone, count) => {
  expect(validateTimeZone(zone, "f")).toHaveLength(count);
});
