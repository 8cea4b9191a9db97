// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { reportFailure } from "../cli/output/failure.ts";
import { findVerb, unknownVerb } from "./verbs/find-verb.ts";
import { renderHelpFor } from "./verbs/help-verb.ts";
import type { Runtime, Verb } from "./verbs/verb.ts";

/** Flags that act as verbs. */
const flagAliases: Readonly<Record<string, string>> = { "--help": "help", "-h": "help", "--version": "version" };

/** Exit code of an interrupted verb, as shells use it for Ctrl-C. Not 0, so that scripts stop. */
const stoppedExitCode = 130;

/** Runs one command line and returns the exit code. Never rejects: every failure is printed on standard error. */
export async function runFlotilla(argv: readonly string[], verbs: readonly Verb[], runtime: Runtime): Promise<number> {
  try {
    await runVerb(argv, verbs, runtime);
    return 0;
  } catch (reason) {
    // Cancellation is not a failure and is not reported.
    if (runtime.signal.aborted && reason === runtime.signal.reason) return stoppedExitCode;
    return reportFailure(runtime.io, reason);
  }
}

async function runVerb(argv: readonly string[], verbs: readonly Verb[], runtime: Runtime): Promise<void> {
  const [first = "help", ...others] = argv;
  const words = [flagAliases[first] ?? first, ...others];
  const found = findVerb(verbs, words);
  const helpWords = askedForHelp(words, found?.verb);
  const help = helpWords === undefined ? undefined : renderHelpFor(verbs, helpWords);
  if (help !== undefined) {
    runtime.io.stdout.write(help);
    return;
  }
  if (found === undefined) throw new FlotillaError("INVALID_ARGUMENT", unknownVerb(verbs, words));
  await found.verb.run(found.rest, runtime);
}

/** The words to show help for, if `--help` or `-h` occurs before `--`. */
function askedForHelp(words: readonly string[], verb: Verb | undefined): readonly string[] | undefined {
  const end = words.indexOf("--");
  const flags = end < 0 ? words : words.slice(0, end);
  if (!flags.includes("--help") && !flags.includes("-h")) return undefined;
  return verb === undefined ? flags.filter((word) => !word.startsWith("-")) : verb.name.split(" ");
}
