// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { checkTimeout } from "./timeout.ts";

const check = (text: string): void => checkTimeout(new URLSearchParams({ timeout: text }));

test.each(["", "0", "5s", "1h30m", "1.5h", ".5s", "-1s", "300ms", "5µs"])("%s is a duration", (text) => {
  expect(() => check(text)).not.toThrow();
});

test.each([
  ["soon", 'time: invalid duration "soon"'],
  ["10", 'time: missing unit in duration "10"'],
  ["5x", 'time: unknown unit "x" in duration "5x"'],
  [".s", 'time: invalid duration ".s"'],
])("%s is none", (text, problem) => {
  expect(() => check(text)).toThrow(`invalid timeout specified in the request URL - ${problem}`);
});
