// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Random } from "../../src/base/random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";

/** A writer of test/support in a process of its own, which reports what was acknowledged line by line. */
export interface Writer {
  /** Every whole line so far. */
  lines(): readonly string[];
  /** Resolves when that many lines have come; rejects if the writer ends by itself. */
  waitForLines(count: number): Promise<void>;
  /** Ends it without warning. Every line it wrote can then be read. */
  kill(): Promise<void>;
}

export function startWriter(name: string, args: readonly string[]): Writer {
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let lineCount = 0;
  let complaint = "";
  let onOutput = (): void => undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    lineCount += text.split("\n").length - 1;
    onOutput();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.on("close", (_code, signal) => resolve(signal));
  });
  // What follows the last line end is a line that the kill cut in two.
  const lines = (): readonly string[] => output.split("\n").slice(0, -1);
  const endedByItself = (): Error => new Error(`the writer ended by itself: ${complaint}`);
  return {
    lines,
    async waitForLines(count) {
      const enough = new Promise<"enough">((resolve) => {
        onOutput = () => {
          if (lineCount >= count) resolve("enough");
        };
        onOutput();
      });
      if ((await Promise.race([enough, ended])) !== "enough") throw endedByItself();
    },
    async kill() {
      child.kill("SIGKILL");
      if ((await ended) !== "SIGKILL") throw endedByItself();
    },
  };
}

/** When to kill. */
export interface KillPlan {
  /** Lines to read before; 0 = do not wait for any. */
  readonly lines: number;
  /** Then this much longer, so that kills fall anywhere between two commits. */
  readonly delayMs: number;
}

/** Mostly while it writes, now and then while it still opens. */
export function drawKill(random: Random): KillPlan {
  if (random.int(8) === 0) return { lines: 0, delayMs: random.int(250) };
  return { lines: 1 + random.int(600), delayMs: random.int(8) };
}

/** Runs a writer, kills it as planned, and gives every whole line it wrote. */
export async function runUntilKilled(
  name: string,
  args: readonly string[],
  kill: KillPlan,
): Promise<readonly string[]> {
  const writer = startWriter(name, args);
  await writer.waitForLines(kill.lines);
  await systemClock.sleep(kill.delayMs);
  await writer.kill();
  return writer.lines();
}
