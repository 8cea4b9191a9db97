// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { KubectlRunner } from "./run-kubectl.ts";

/** A command that goes on printing, read line by line. */
export interface WatchedLines extends AsyncDisposable {
  /** The next line of stdout, with runs of spaces as one. Rejects when the command has ended. */
  next(): Promise<string>;
}

/** Starts a command that does not end by itself; disposing ends it. The runner's limit of time holds for it too. */
export function watchLines(runner: KubectlRunner, words: readonly string[]): WatchedLines {
  const child = runner.start(words);
  const closed = once(child, "close");
  child.stdin.end();
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`kubectl ${words.join(" ")} has ended`);
      return value.replaceAll(/ +/g, " ").trim();
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await closed;
    },
  };
}
