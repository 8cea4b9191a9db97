// SPDX-License-Identifier: Apache-2.0
// A transcript is a text as a terminal shows it. Lines by their beginning:
//   `$ `  a command          `! `  a line of its stderr       `[`    its exit code, `[1]`; none means 0
//   `@ `  a directive for the next command                    `#`    a comment
// All others are its stdout; a line `...` stands for any lines, and `...` within one for any text. Empty lines are left
// out on both sides.

/** What one command is expected to do. */
export interface Step {
  /** For messages: the line of the command in its transcript. */
  readonly line: number;
  /** Without the name of the program. */
  readonly words: readonly string[];
  readonly expected: readonly string[];
  /** `@ from 1.32`: older ones do otherwise. */
  readonly fromMinor: number;
  /** `@ edit EXPRESSION`: what sed does in the place of the user's editor. */
  readonly edit: string | undefined;
  /** `@ ours: REASON`: the real server answers otherwise, and why that is right. */
  readonly isOursOnly: boolean;
  /** `@ until`: asked again until the answer is the expected one, for what controllers bring about. */
  readonly isAwaited: boolean;
}

type Directives = Pick<Step, "fromMinor" | "edit" | "isOursOnly" | "isAwaited">;
const noDirectives: Directives = { fromMinor: 0, edit: undefined, isOursOnly: false, isAwaited: false };

/** Parses a transcript. Throws for one that is not well-formed. */
export function parseTranscript(text: string): readonly Step[] {
  const steps: Step[] = [];
  let directives = noDirectives;
  let expected: string[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    if (line.startsWith("@ ")) directives = addDirective(directives, line.slice(2));
    else if (line.startsWith("$ ")) {
      const [program, ...words] = splitWords(line.slice(2));
      if (program !== "kubectl") throw new Error(`line ${at + 1}: only kubectl can be run`);
      expected = [];
      steps.push({ line: at + 1, words, expected, ...directives });
      directives = noDirectives;
    } else expected.push(line);
  }
  return steps;
}

function addDirective(directives: Directives, text: string): Directives {
  const rest = text.replace(/^\w+:? */, "");
  const name = text.slice(0, text.search(/\W|$/));
  const minor = /^1\.(\d+)$/.exec(rest)?.[1];
  if (name === "from" && minor !== undefined) return { ...directives, fromMinor: Number(minor) };
  if (name === "edit" && rest !== "") return { ...directives, edit: rest };
  if (name === "ours" && rest !== "") return { ...directives, isOursOnly: true };
  if (name === "until" && rest === "") return { ...directives, isAwaited: true };
  throw new Error(`"@ ${text}" is no directive`);
}

/** Words between spaces; single quotes keep what is between them as it is. */
export function splitWords(text: string): readonly string[] {
  return [...text.matchAll(/(?:[^\s']+|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ""));
}
