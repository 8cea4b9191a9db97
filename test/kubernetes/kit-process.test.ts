// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { KitProcess } from "./kit-process.ts";

/** Long enough for a shell to end by itself, however busy the machine. */
const stopLimitMs = 60_000;

test("a program that had ended before it was stopped says so, also where its output is read to the end only later", async () => {
  using folder = openTempFolder();
  const gate = join(folder.path, "gate");
  execFileSync("mkfifo", [gate]);
  // What it leaves behind holds its output open until somebody writes to the gate.
  const program = new KitProcess("/bin/sh", ["-c", "echo last words; cat gate & kill -9 $$"], folder.path);
  await eventually(() => expect(program.hasEnded).toBe(true));
  expect(program.failure).toBeUndefined();
  const stopped = program.stop(systemClock, stopLimitMs);
  await writeFile(gate, "");
  await stopped;
  expect(program.failure).toBe("sh was ended by SIGKILL; the end of its output:\nlast words");
});

test("a program that ends because it was stopped has not failed", async () => {
  using folder = openTempFolder();
  const program = new KitProcess("/bin/sh", ["-c", "exec sleep 600"], folder.path);
  await program.stop(systemClock, stopLimitMs);
  expect([program.hasEnded, program.failure]).toEqual([true, undefined]);
});
