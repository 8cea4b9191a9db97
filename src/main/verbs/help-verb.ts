// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { type FlagHelp, renderHelp, renderVerbHelp, type VerbHelp } from "../../cli/output/help.ts";
import { isGivenBy, type OptionSpec, type OptionType, variableNameOf } from "../config/option.ts";
import { unknownVerb } from "./find-verb.ts";
import type { Verb } from "./verb.ts";

/** `flotilla help [VERB]` for these verbs and itself. */
export function createHelpVerb(others: readonly Verb[]): Verb {
  const help: Verb = {
    name: "help",
    summary: "Shows the verbs, or the flags of one.",
    args: [{ name: "VERB", isOptional: true }],
    options: [],
    run: async (argv, { io }) => {
      const text = renderHelpFor(
        [...others, help],
        argv.filter((word) => !word.startsWith("-")),
      );
      if (text === undefined) throw new FlotillaError("INVALID_ARGUMENT", unknownVerb([...others, help], argv));
      io.stdout.write(text);
    },
  };
  return help;
}

/** The help page for these words: all verbs, those that start with the words, or one. Undefined if none matches. */
export function renderHelpFor(verbs: readonly Verb[], words: readonly string[]): string | undefined {
  const name = words.join(" ");
  const one = verbs.find((verb) => verb.name === name);
  if (one !== undefined) return renderVerbHelp(toVerbHelp(one));
  const some = name === "" ? verbs : verbs.filter((verb) => verb.name.startsWith(`${name} `));
  return some.length === 0 ? undefined : renderHelp(some.map(toVerbHelp));
}

/** The flags that say which hub is called, and as which user. They come after those of the verb. */
const callFlags: ReadonlySet<string> = new Set(["config", "data-dir", "hub", "ca-file", "token"]);

function toVerbHelp({ name, summary, args, options, examples = [] }: Verb): VerbHelp {
  const flags = options.filter((spec) => isGivenBy(spec, "flag"));
  const isCall = flags.some((spec) => spec.name === "token");
  const isOfCall = (spec: OptionSpec): boolean => isCall && callFlags.has(spec.name);
  return {
    name,
    summary,
    args: args.map((arg) =>
      arg.isOptional === true ? `[${arg.name}]` : `${arg.name}${arg.isRepeated === true ? "..." : ""}`,
    ),
    examples,
    flags: [...flags.filter((spec) => !isOfCall(spec)), ...flags.filter(isOfCall)].map(toFlagHelp),
  };
}

const placeholders: Readonly<Record<Exclude<OptionType, "choice">, string>> = {
  string: " TEXT",
  integer: " NUMBER",
  boolean: "",
  duration: " DURATION",
  bytes: " SIZE",
  list: " LIST",
  path: " PATH",
  secret: " file:PATH",
};

function toFlagHelp(spec: OptionSpec): FlagHelp {
  const value = spec.type === "choice" ? ` ${spec.choices.join("|")}` : placeholders[spec.type];
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  return {
    usage: `${short}--${spec.name}${value}`,
    description: spec.description,
    ...(spec.default === undefined ? {} : { default: spec.default }),
    ...(isGivenBy(spec, "variable") ? { variable: variableNameOf(spec) } : {}),
  };
}
