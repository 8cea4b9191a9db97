// SPDX-License-Identifier: Apache-2.0
// Plain JavaScript for any Node >= 18: runs one program of the set-up, shows the elapsed time on a terminal, and
// forwards stop signals to it.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** Ends the set-up with one line. Thrown instead of exiting, so that temporary files are removed first. */
export class SetupError extends Error {
  constructor(line, exitCode = 1) {
    super(line);
    this.exitCode = exitCode;
  }
}

/** Number of characters kept from the end of a program's output: npm prints its reason in a few lines. */
const keptLength = 65_536;

/** The signals that stop the set-up. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Prints a sentence on standard error. */
export function say(line) {
  process.stderr.write(`flotilla: ${line}\n`);
}

/**
 * Runs a program and returns its status, its last output, and the error if it could not start. `line` names the step;
 * on a terminal it is rewritten each second with the elapsed time. A stop signal to this process stops the program
 * first; then the step throws SetupError.
 */
export async function runStep(line, [command, args, options = {}]) {
  const endLine = showTime(line);
  let stopped;
  const stop = (signal) => {
    stopped = signal;
    child.kill(signal);
  };
  // Registered before the program starts, because it may send the signal itself.
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

/** Resolves with the last characters of a stream; "" if there is no stream. */
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

/** Shows the line; the returned function ends it. */
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
