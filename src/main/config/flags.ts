// SPDX-License-Identifier: Apache-2.0

import { suggestion } from "../../base/nearest.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { quote } from "./config-problem.ts";
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
  const options = specs.filter((spec) => isGivenBy(spec, "flag"));
  const texts = new Map<OptionSpec, string[]>();
  const args: string[] = [];
  const mistakes: ConfigProblem[] = [];
  const words = argv.values();
  let waiting: string | undefined;

  const next = (): string | undefined => {
    const word = waiting ?? words.next().value;
    waiting = undefined;
    return word;
  };
  const add = (spec: OptionSpec, text: string): void => {
    const before = texts.get(spec);
    if (before === undefined) texts.set(spec, [text]);
    else if (spec.type === "list") before.push(text);
    else mistakes.push({ place: `--${spec.name}`, sentence: "is given twice; give it once" });
  };

  for (let word = next(); word !== undefined; word = next()) {
    if (word === "--") {
      args.push(...words);
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      args.push(word);
      continue;
    }
    const flag = findFlag(options, word);
    if (flag === undefined) {
      mistakes.push(unknownFlag(options, word));
      continue;
    }
    if (flag.text !== undefined) {
      add(flag.spec, flag.text);
      continue;
    }
    if (flag.spec.type === "boolean") {
      add(flag.spec, "true");
      continue;
    }
    const value = next();
    const isMissing = value === undefined || (value.startsWith("-") && value !== "-");
    if (isMissing) mistakes.push({ place: `--${flag.spec.name}`, sentence: "needs a value" });
    if (isMissing) waiting = value;
    else add(flag.spec, value);
  }
  const given = [...texts].map(
    ([spec, values]): GivenValue => ({ spec, source: "flag", place: `--${spec.name}`, texts: values }),
  );
  return { given, args, mistakes };
}

interface Flag {
  readonly spec: OptionSpec;
  /** The value, if the word itself contains it. */
  readonly text?: string;
}

function findFlag(options: readonly OptionSpec[], word: string): Flag | undefined {
  if (!word.startsWith("--")) {
    const spec = options.find((option) => option.short === word.charAt(1));
    const text = word.slice(2).replace(/^=/, "");
    return spec && (word.length > 2 ? { spec, text } : { spec });
  }
  const equals = word.indexOf("=");
  const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
  const spec = options.find((option) => option.name === name);
  if (spec !== undefined) return equals < 0 ? { spec } : { spec, text: word.slice(equals + 1) };
  const negated = options.find((option) => option.type === "boolean" && `no-${option.name}` === name);
  return negated && equals < 0 ? { spec: negated, text: "false" } : undefined;
}

function unknownFlag(options: readonly OptionSpec[], word: string): ConfigProblem {
  const name = word.replace(/=.*$/s, "");
  const names = options.map((option) => `--${option.name}`);
  return { place: "command line", sentence: `unknown flag ${quote(name)}${suggestion(name, names, (near) => near)}` };
}
