// SPDX-License-Identifier: Apache-2.0
import { chooseSettings } from "./choose-settings.ts";
import { type ParsedConfigFile, parseConfigFile } from "./config-file.ts";
import { type ConfigProblem, ConfigProblemsError, quote } from "./config-problem.ts";
import { parseFlags } from "./flags.ts";
import { fieldNameOf, type GivenValue, type OptionSpec } from "./option.ts";
import { type ConfigOf, optionsOf, optionTable, type VerbName } from "./option-table.ts";
import type { ReadFile } from "./read-file.ts";
import type { Setting } from "./resolve.ts";
import { type ConfigEnvironment, readVariables, warnAboutVariables } from "./variables.ts";

/** An argument that is not a flag. */
export interface ArgumentSpec {
  /** In upper case, as in `token revoke ID`. */
  readonly name: string;
  readonly isOptional?: boolean;
  /** Takes one or more; only the last one may. */
  readonly isRepeated?: boolean;
}

/** The sources of a configuration. */
export interface ConfigInput {
  /** The arguments after the verb. */
  readonly argv: readonly string[];
  readonly env: ConfigEnvironment;
  readonly readFile: ReadFile;
  readonly args?: readonly ArgumentSpec[];
}

/** The settings before they are typed. */
export interface ReadSettings {
  /** One per option, in the order of the table. */
  readonly settings: readonly Setting[];
  readonly args: readonly string[];
  readonly warnings: readonly string[];
}

/** The frozen configuration of one verb, and its settings. */
export interface ReadConfig<Verb extends VerbName> extends ReadSettings {
  readonly config: ConfigOf<Verb>;
}

/**
 * Reads the configuration of `verb`: flag before variable before file before default. Throws one ConfigProblemsError
 * with all mistakes, including those in overridden values and in other verbs' settings in the file. Opens only the
 * named files, through `readFile`.
 */
export function readConfig<Verb extends VerbName>(verb: Verb, input: ConfigInput): ReadConfig<Verb> {
  const read = readSettings(optionsOf(verb), optionTable, input);
  const fields = Object.fromEntries(read.settings.map(({ spec, value }) => [fieldNameOf(spec), value]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ConfigOf is the same table and naming rule, as
  // types; option-table.test.ts compares them.
  return { ...read, config: Object.freeze(fields) as ConfigOf<Verb> };
}

/** Like readConfig, for any options of any table. */
export function readSettings(
  specs: readonly OptionSpec[],
  table: readonly OptionSpec[],
  input: ConfigInput,
): ReadSettings {
  const flags = parseFlags(specs, input.argv);
  const variables = readVariables(specs, input.env);
  // The options of the verb take the place of those with the same name: a value in the file is checked as the verb's.
  const known = table.map((each) => specs.find(({ name }) => name === each.name) ?? each);
  const file = readFileNamedBy([...flags.given, ...variables], known, input.readFile);
  const chosen = chooseSettings(specs, [...flags.given, ...variables, ...file.given], input.readFile);
  // The value of an unknown flag is parsed as an argument; reporting it too would be misleading.
  const ofArguments = flags.mistakes.length > 0 ? [] : checkArguments(flags.args, input.args ?? []);
  const mistakes = [...flags.mistakes, ...ofArguments, ...sortByPlace([...chosen.mistakes, ...file.mistakes])];
  if (mistakes.length > 0) throw new ConfigProblemsError(mistakes);
  const warnings = chosen.settings.flatMap(({ warning }) => warning ?? []);
  return {
    settings: chosen.settings,
    args: flags.args,
    warnings: [...warnAboutVariables(table, input.env), ...warnings],
  };
}

/** Reads the file named by the flag or else the variable; empty if neither is given. */
function readFileNamedBy(
  given: readonly GivenValue[],
  table: readonly OptionSpec[],
  readFile: ReadFile,
): ParsedConfigFile {
  const named = given.find(({ spec }) => spec.name === "config");
  const path = named?.texts[0];
  if (named === undefined || path === undefined || path === "") return { given: [], mistakes: [] };
  const file = readFile(path);
  if (file.kind === "text") return parseConfigFile(path, file.text, table);
  return { given: [], mistakes: [{ place: named.place, sentence: `cannot be read: ${file.reason}` }] };
}

/** Sorts by place, numbers numerically: flags, variables, then the file from top to bottom. */
function sortByPlace(mistakes: readonly ConfigProblem[]): ConfigProblem[] {
  const rankOf = ({ place }: ConfigProblem): number => (place.startsWith("--") ? 0 : place.includes(":") ? 2 : 1);
  return mistakes.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.place.localeCompare(other.place, "en", { numeric: true }),
  );
}

function checkArguments(args: readonly string[], specs: readonly ArgumentSpec[]): ConfigProblem[] {
  const place = "command line";
  const missing = specs.slice(args.length).filter((spec) => spec.isOptional !== true);
  const extra = specs.at(-1)?.isRepeated === true ? [] : args.slice(specs.length);
  return [
    ...missing.map(({ name }) => ({ place, sentence: `${name} is missing` })),
    ...extra.map((arg) => ({ place, sentence: `${quote(arg)} is an unexpected argument` })),
  ];
}
