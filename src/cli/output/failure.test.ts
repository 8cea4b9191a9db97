// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { type ErrorCode, errorCodes } from "../../base/error-codes.ts";
import { recordIo } from "../testing/recorded-io.ts";
import { reportFailure } from "./failure.ts";

test.each(Object.entries(errorCodes))("%s gives one sentence and its exit code", (code, { exit }) => {
  const { io, stderr } = recordIo();
  const isCode = (text: string): text is ErrorCode => text in errorCodes;
  if (!isCode(code)) throw new Error("not a code");
  expect(reportFailure(io, new FlotillaError(code, "something is wrong", { cause: new Error("inner") }))).toBe(exit);
  expect(stderr()).toBe("flotilla: something is wrong\n");
});

test("a failure nobody foresaw exits with 1 and shows where it happened", () => {
  const { io, stderr } = recordIo();
  expect(reportFailure(io, new TypeError("x is not a function"))).toBe(1);
  expect(stderr()).toContain("failure.test.ts");
});

test("[L18] text of a hub cannot steer the terminal, and a token in it is masked", () => {
  const { io, stderr } = recordIo();
  reportFailure(io, new FlotillaError("NOT_FOUND", "no \u001b[2J flt_abcdef"));
  expect(stderr()).toBe("flotilla: no \\u001b[2J flt_***\n");
});
