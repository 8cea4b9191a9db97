// SPDX-License-Identifier: Apache-2.0
// Plain JavaScript for any Node >= 18: runs one program of the set-up, shows on a terminal how long it takes, and stops with it.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** Ends the set-up with one line. Thrown, not exited, so that what was made on the way is cleared away first. */
export class SetupError extends Error {
  constructor(line, exitCode = 1) {
    super(line);
    this.exitCode = exitCode;
  }
}

/** The last characters of a program's output that are kept: npm gives its reason in a few lines. */
const keptLength = 65_536;

/** The signals that stop the set-up. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** A sentence on standard error. */
export function say(line) {
  process.stderr.write(`flotilla: ${line}\n`);
}

/**
 * Runs a program to its end. Answers its status, its last output, and the error that kept it from starting. `line` names the step; on a terminal it is rewritten
 * each second with the time taken. A signal that stops this process stops the program first; then the step throws SetupError.
 */
export async function runStep(line, [command, args, options = {}]) {
  const endLine = showTime(line);
  let stopped;
  const stop = (signal) => {
    stopped = signal;
    child.kill(signal);
  };
  // Before the program is there: it may be the one that sends the signal.
  for (const signal of stopSignals) process.on(signal, stop);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  try {
    const [stdout, stderr, end] = await Promise.all([keep(child.stdout), keep(child.stderr), ended(child)]);
    if (stopped !== undefined) throw new SetupError("stopped", 128 + constants.signals[stopped]);
    return { ...end, stdout, stderr };
  } finally {
    for (const signal of stopSignals) process.off(signal, stop);
    endLine();
  }
}

/** Resolves with the last characters of a stream; "" where there is none. */
async function keep(stream) {
  let text = "";
  if (stream === null) return text;
  stream.setEncoding("utf8");
  for await (const chunk of stream) text = (text + chunk).slice(-keptLength);
  return text;
}

function ended(child) {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ status: null, error }));
    child.once("close", (status) => resolve({ status, error: undefined }));
  });
}

/** Shows the line, and answers how to end it. */
function showTime(line) {
  if (!process.stderr.isTTY) {
    say(line);
    return () => undefined;
  }
  const startedMs = performance.now();
  const draw = () => {
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    process.stderr.write(`\r\u001b[Kflotilla: ${line}${seconds === 0 ? "" : `, ${seconds} s`}`);
  };
  draw();
  const timer = setInterval(draw, 1_000);
  return () => {
    clearInterval(timer);
    process.stderr.write("\n");
  };
}
