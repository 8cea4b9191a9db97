// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { recordIo } from "../testing/recorded-io.ts";
import { createProgress } from "./progress.ts";

/** One screen for both streams, as on a terminal. */
function openTerminal() {
  let screen = "";
  const output = { isTerminal: true, write: (text: string) => void (screen += text) };
  const { io } = recordIo();
  return { io: { ...io, stdout: output, stderr: output }, screen: () => screen };
}

const clear = "\r\u001b[K";

test("[CL18] progress on a terminal is one line that is rewritten, and gone when it is cleared", () => {
  const { io, screen } = openTerminal();
  const progress = createProgress(io, "text");
  progress.show("1 of 2 clusters ready");
  progress.show("2 of 2 clusters ready");
  progress.clear();
  progress.clear();
  expect(screen()).toBe(`1 of 2 clusters ready${clear}2 of 2 clusters ready${clear}`);
});

test("[CL18] other output stands on lines of its own, above the progress", () => {
  const { io, screen } = openTerminal();
  const progress = createProgress(io, "text");
  progress.show("1 of 2");
  progress.io.stderr.write("a warning\n");
  progress.clear();
  progress.io.stdout.write("ready\n");
  expect(screen()).toBe(`1 of 2${clear}a warning\n1 of 2${clear}ready\n`);
});

test("[CL18] nothing of it goes to a file, to a pipe, or beside output for programs", () => {
  const piped = recordIo();
  createProgress(piped.io, "text").show("1 of 2");
  const { io, screen } = openTerminal();
  createProgress(io, "json").show("1 of 2");
  expect([piped.stdout(), piped.stderr(), screen()]).toEqual(["", "", ""]);
});
