// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { ageOf, humanDuration, parseTimeMs } from "./age.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

describe("a duration is printed in its significant units", () => {
  test.each([
    [-2 * second, "<invalid>"],
    [-1_999, "0s"],
    [-1, "0s"],
    [0, "0s"],
    [999, "0s"],
    [119 * second, "119s"],
    [2 * minute, "2m"],
    [2 * minute + second, "2m1s"],
    [10 * minute - 1, "9m59s"],
    [10 * minute + 5 * second, "10m"],
    [179 * minute, "179m"],
    [3 * hour, "3h"],
    [3 * hour + minute, "3h1m"],
    [8 * hour - 1, "7h59m"],
    [8 * hour, "8h"],
    [47 * hour, "47h"],
    [2 * day, "2d"],
    [2 * day + 3 * hour, "2d3h"],
    [8 * day - 1, "7d23h"],
    [8 * day + 5 * hour, "8d"],
    [2 * year - day, "729d"],
    [2 * year, "2y"],
    [2 * year + 5 * day, "2y5d"],
    [8 * year + 5 * day, "8y"],
  ])("%d ms: %s", (durationMs, expected) => {
    expect(humanDuration(durationMs)).toBe(expected);
  });
});

describe("the age of a time", () => {
  const nowMs = Date.parse("2026-03-01T12:00:00Z");
  test.each([
    ["2026-03-01T11:55:00Z", "5m"],
    ["2026-03-01T11:59:59.500000Z", "0s"],
    ["2026-03-01T13:59:00+02:00", "60s"],
    [undefined, "<unknown>"],
    ["", "<unknown>"],
    ["null", "<unknown>"],
    ["yesterday", "<invalid>"],
    ["2026-03-01", "<invalid>"],
    ["2026-02-30T00:00:00Z", "<invalid>"],
    ["2026-03-01 11:00:00Z", "<invalid>"],
    ["2026-03-01T12:00:10Z", "<invalid>"],
  ])("%s: %s", (time, expected) => {
    expect(ageOf(time, nowMs)).toBe(expected);
  });
});

test("a leap day is a day only in its years", () => {
  expect(parseTimeMs("2024-02-29T00:00:00Z")).toBe(Date.UTC(2024, 1, 29));
  expect(parseTimeMs("2025-02-29T00:00:00Z")).toBeUndefined();
});
