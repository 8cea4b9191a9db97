// SPDX-License-Identifier: Apache-2.0
import { expect } from "vitest";
import type { ProgramResult } from "./run-program.ts";

/** One sentence on stderr, nothing on stdout, and the exit code of the table. */
export function expectRefusal({ code, stdout, stderr }: ProgramResult, exitCode: number, sentence: RegExp): void {
  expect(stderr).toMatch(sentence);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect([code, stdout]).toEqual([exitCode, ""]);
}
