// SPDX-License-Identifier: Apache-2.0

import { parseArgs } from "node:util";
import { suggestion } from "../../base/nearest.ts";
import { type ConfigProblem, quote } from "./config-problem.ts";
import { type GivenValue, isGivenBy, type OptionSpec } from "./option.ts";

/** A parsed command line: values of options, the other arguments in order, and mistakes. */
export interface ParsedFlags {
  readonly given: readonly GivenValue[];
  readonly args: readonly string[];
  readonly mistakes: readonly ConfigProblem[];
}

/**
 * Parses `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-n=VALUE` and `-nVALUE`; a boolean also as `--name` and
 * `--no-name`. After `--` everything is an argument. A list may be given several times; any other option given twice is
 * a mistake, because one value would be lost silently.
 */
export function parseFlags(specs: readonly OptionSpec[], argv: readonly string[]): ParsedFlags {
  const options = new Map(specs.filter((spec) => isGivenBy(spec, "flag")).map((spec) => [spec.name, spec]));
  const texts = new Map<OptionSpec, string[]>();
  const args: string[] = [];
  const mistakes: ConfigProblem[] = [];
  const add = (spec: OptionSpec, text: string): void => {
    const before = texts.get(spec);
    if (before === undefined) texts.set(spec, [text]);
    else if (spec.type === "list") before.push(text);
    else mistakes.push({ place: `--${spec.name}`, sentence: "is given twice; give it once" });
  };

  let rest = argv;
  while (rest.length > 0) {
    const words = rest;
    rest = [];
    let unknownIndex = -1;
    for (const token of tokensOf(options, words)) {
      if (token.kind === "positional") args.push(token.value);
      if (token.kind !== "option") continue;
      const { name, rawName, value, inlineValue, index } = token;
      const spec = options.get(name);
      const negated = value === undefined && name.startsWith("no-") ? options.get(name.slice(3)) : undefined;
      if (spec?.type === "boolean") add(spec, value ?? "true");
      else if (negated?.type === "boolean") add(negated, "false");
      else if (spec === undefined) {
        // An unknown word such as -abc is one mistake, although it is parsed as three flags.
        if (index !== unknownIndex) mistakes.push(unknownFlag(options, words[index] ?? ""));
        unknownIndex = index;
      } else if (inlineValue === true) add(spec, rawName.startsWith("--") ? value : value.replace(/^=/, ""));
      else if (value !== undefined && isValue(spec, value)) add(spec, value);
      else {
        // The parser takes a following flag as the value. The words from that flag on are parsed again.
        mistakes.push({ place: `--${spec.name}`, sentence: "needs a value" });
        rest = words.slice(index + 1);
        break;
      }
    }
  }
  const given = [...texts].map(
    ([spec, values]): GivenValue => ({ spec, source: "flag", place: `--${spec.name}`, texts: values }),
  );
  return { given, args, mistakes };
}

/** False for a word after the flag that is another flag. A negative number is no flag. */
function isValue({ type, takesDash }: OptionSpec, word: string): boolean {
  if (type === "integer" && /^-\d/.test(word)) return true;
  return word === "-" || !word.startsWith(takesDash === true ? "--" : "-");
}

/** Not strict: the parser's own errors name one mistake and quote its value. */
function tokensOf(options: ReadonlyMap<string, OptionSpec>, words: readonly string[]) {
  const types = Array.from(options.values(), ({ name, type, short }) => {
    const taken = type === "boolean" ? ("boolean" as const) : ("string" as const);
    return [name, { type: taken, ...(short === undefined ? {} : { short }) }] as const;
  });
  return parseArgs({ args: words, options: Object.fromEntries(types), strict: false, tokens: true }).tokens;
}

function unknownFlag(options: ReadonlyMap<string, OptionSpec>, word: string): ConfigProblem {
  const name = word.replace(/=.*$/s, "");
  const names = Array.from(options.keys(), (each) => `--${each}`);
  return { place: "command line", sentence: `unknown flag ${quote(name)}${suggestion(name, names, (near) => near)}` };
}
