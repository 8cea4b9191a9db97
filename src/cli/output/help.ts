// SPDX-License-Identifier: Apache-2.0

/** The help of one flag. */
export interface FlagHelp {
  /** `-o, --output text|json|yaml`. */
  readonly usage: string;
  readonly description: string;
  /** In the form of user input; undefined if there is none. */
  readonly default?: string;
  /** Undefined if the option is a flag only. */
  readonly variable?: string;
}

/** The help of one verb. */
export interface VerbHelp {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** `ID` or `[VERB]`. */
  readonly args: readonly string[];
  readonly flags: readonly FlagHelp[];
  /** Whole command lines without the name of the program. */
  readonly examples: readonly string[];
}

/** The page of `flotilla help`: one line per verb. */
export function renderHelp(verbs: readonly VerbHelp[]): string {
  const names = verbs.map(({ name, args }) => [name, ...args].join(" "));
  const width = Math.max(...names.map((name) => name.length));
  const lines = verbs.map(({ summary }, at) => `  ${(names[at] ?? "").padEnd(width)}  ${summary}`);
  return [
    "Runs many Kubernetes clusters as one.",
    "",
    "usage: flotilla VERB [ARGUMENT ...] [FLAG ...]",
    "",
    ...lines,
    "",
    "`flotilla help VERB` shows the flags of a verb.",
    "",
  ].join("\n");
}

/** The page of one verb: its examples, and its flags, each with default and variable. */
export function renderVerbHelp({ name, summary, args, flags, examples }: VerbHelp): string {
  const usage = ["usage: flotilla", name, ...args, ...(flags.length === 0 ? [] : ["[FLAG ...]"])].join(" ");
  const shown = examples.length === 0 ? [] : ["examples:", ...examples.map((example) => `  flotilla ${example}`), ""];
  return [summary, "", usage, "", ...shown, ...flags.flatMap(renderFlag)].join("\n").replace(/\n*$/, "\n");
}

function renderFlag({ usage, description, default: initial, variable }: FlagHelp): string[] {
  const facts = [
    ...(initial === undefined ? [] : [`default ${initial === "" ? "none" : initial}`]),
    ...(variable === undefined ? [] : [variable]),
  ];
  const suffix = facts.length === 0 ? "" : ` (${facts.join("; ")})`;
  return [`  ${usage}`, `      ${description}${suffix}`];
}
