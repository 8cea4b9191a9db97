// SPDX-License-Identifier: Apache-2.0
import { minorOf } from "./find-kubectl.ts";
import { normaliseOutput } from "./normalise-output.ts";
import type { Step } from "./parse-transcript.ts";
import type { KubectlResult, KubectlRunner } from "./run-kubectl.ts";

/**
 * How often an awaited step is asked: a command takes a tenth of a second and more, so this is ten seconds and more.
 */
const askCount = 100;

export interface PlayOptions {
  /** The label of the kubectl. */
  readonly label: string;
  /** A real server does not play the steps that are ours only. */
  readonly isReal?: boolean;
}

/** A step that did not do what the transcript says, as text with both. */
export type Mismatch = string;

/** Plays all steps, whatever became of the ones before, and tells those that did otherwise. */
export async function playTranscript(
  runner: KubectlRunner,
  steps: readonly Step[],
  { label, isReal = false }: PlayOptions,
): Promise<readonly Mismatch[]> {
  const mismatches: Mismatch[] = [];
  for (const step of steps) {
    if (step.fromMinor > minorOf(label) || (isReal && step.isOursOnly)) continue;
    const printed = await playStep(runner, step);
    if (printed === undefined) continue;
    const command = `line ${step.line}: kubectl ${step.words.join(" ")}`;
    mismatches.push([command, "expected:", ...step.expected, "printed:", ...printed].join("\n"));
  }
  return mismatches;
}

/** What the step printed, if that is not what it should. */
async function playStep(runner: KubectlRunner, step: Step): Promise<readonly string[] | undefined> {
  // The form that both GNU's and BSD's sed take.
  const env = step.edit === undefined ? {} : { KUBE_EDITOR: `sed -i.old -e ${step.edit}` };
  for (let asked = 1; ; asked += 1) {
    const printed = toLines(await runner.run(step.words, env));
    if (matchesLines(printed, step.expected)) return undefined;
    if (!step.isAwaited || asked === askCount) return printed;
  }
}

/** What a command did, in the form of a transcript. */
export function toLines({ code, stdout, stderr }: KubectlResult): readonly string[] {
  const ended = code === 0 ? [] : [`[${code ?? "ended"}]`];
  return [...normaliseOutput(stdout), ...normaliseOutput(stderr).map((line) => `! ${line}`), ...ended];
}

/** Whether the lines are the expected ones. A line `...` stands for any lines, and `...` within one for any text. */
export function matchesLines(lines: readonly string[], expected: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return lines.length === 0;
  if (first !== "...") return matchesLine(lines[0], first) && matchesLines(lines.slice(1), rest);
  return lines.some((_, at) => matchesLines(lines.slice(at), rest)) || matchesLines([], rest);
}

function matchesLine(line: string | undefined, expected: string): boolean {
  if (line === undefined) return false;
  const [before = "", after] = expected.split("...");
  if (after === undefined) return line === expected;
  return line.length >= before.length + after.length && line.startsWith(before) && line.endsWith(after);
}
