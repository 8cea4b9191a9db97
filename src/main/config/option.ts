// SPDX-License-Identifier: Apache-2.0
// The type of an option, and the types derived from a table of options. The table is option-table.ts.
import type { Secret } from "./secret-value.ts";

/** Where a value was given. A flag overrides a variable, a variable the file, the file the default. */
export type GivenSource = "flag" | "variable" | "file";

/** Where the effective value came from. */
export type Source = GivenSource | "default";

interface OptionBase<Type extends string, Value> {
  /** Kebab-case; the flag, the key in the file, and (upper case, FLOTILLA_ before it) the variable. */
  readonly name: string;
  readonly type: Type;
  /** Full sentences; the first one alone is the line in `--help`. */
  readonly description: string;
  /** Verbs that read it. A verb refuses flags of other verbs' options. */
  readonly verbs: readonly string[];
  /** In the form of user input, so that one parser reads defaults and given values. */
  readonly default?: string;
  /** True if the option must be given. */
  readonly required?: true;
  /** One letter. */
  readonly short?: string;
  /** Default: all three. A flag of a single call, such as the user of a new token, is a flag only. */
  readonly sources?: readonly GivenSource[];
  /** Returns the problem with a value, as words that follow it: `must be …`. Undefined if there is none. */
  readonly check?: (value: Value) => string | undefined;
  /** True if `-x` after the flag is its value, such as a descending sort field. `--x` never is. */
  readonly takesDash?: true;
  /** Fields that differ for some of its verbs, by verb. */
  readonly variants?: Readonly<Record<string, OptionVariant>>;
}

/** The fields of an option that may differ from verb to verb. Name and type never do. */
export interface OptionVariant {
  readonly description?: string;
  readonly default?: string;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
}

/**
 * One option. A duration is kept in milliseconds, a size in bytes; a secret is given by reference, never on the command
 * line.
 */
export type OptionSpec =
  | OptionBase<"string", string>
  | (OptionBase<"integer", number> & { readonly min: number; readonly max: number })
  | OptionBase<"boolean", boolean>
  | OptionBase<"duration", number>
  | OptionBase<"bytes", number>
  | OptionBase<"list", readonly string[]>
  | OptionBase<"path", string>
  | OptionBase<"secret", Secret>
  | (OptionBase<"choice", string> & { readonly choices: readonly string[] });

/** The unparsed value of one option. */
export interface GivenValue {
  readonly spec: OptionSpec;
  readonly source: GivenSource;
  /** As in a ConfigProblem. */
  readonly place: string;
  /** One text; for a list any number. */
  readonly texts: readonly string[];
  /** The folder that relative paths start from. Default: the working folder. */
  readonly folder?: string;
}

export type OptionType = OptionSpec["type"];

/** A value after parsing. */
export type OptionValue = string | number | boolean | readonly string[] | Secret;

interface ValueByType {
  readonly string: string;
  readonly integer: number;
  readonly boolean: boolean;
  readonly duration: number;
  readonly bytes: number;
  readonly list: readonly string[];
  readonly path: string;
  readonly secret: Secret;
  readonly choice: string;
}

/** The choices of one verb: those of its variant, else those of the option. `never` if it is not a choice. */
type ChoiceOf<Option extends OptionSpec, Verb extends string> = Option extends {
  readonly variants: Readonly<Record<Verb, { readonly choices: readonly (infer Choice)[] }>>;
}
  ? Choice
  : Option extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : never;

/** The type of one option's value; includes undefined if the option has no default and is not required. */
type ValueOf<Option extends OptionSpec, Verb extends string> =
  | (Option["type"] extends "choice" ? ChoiceOf<Option, Verb> : ValueByType[Option["type"]])
  | (Option extends { readonly default: string } | { readonly required: true } ? never : undefined);

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type Unit<Type extends OptionType> = Type extends "duration" ? "Ms" : Type extends "bytes" ? "Bytes" : "";

/** The fields that `verb` reads from `Table`: `request-timeout`, a duration, is `requestTimeoutMs`. */
export type ValuesOf<Table extends readonly OptionSpec[], Verb extends string> = {
  readonly [Option in Table[number] as Verb extends Option["verbs"][number]
    ? `${Camel<Option["name"]>}${Unit<Option["type"]>}`
    : never]: ValueOf<Option, Verb>;
};

/** The option as `verb` has it. */
export function variantFor(option: OptionSpec, verb: string): OptionSpec {
  const variant = option.variants?.[verb];
  return variant === undefined ? option : { ...option, ...variant };
}

/** The field of the configuration for this option; the same rule as in ValuesOf. */
export function fieldNameOf({ name, type }: Pick<OptionSpec, "name" | "type">): string {
  const camel = name.replace(/-([a-z0-9])/g, (_dash, letter: string) => letter.toUpperCase());
  return `${camel}${type === "duration" ? "Ms" : type === "bytes" ? "Bytes" : ""}`;
}

/** `FLOTILLA_DATA_DIR` for `data-dir`. */
export function variableNameOf({ name }: Pick<OptionSpec, "name">): string {
  return `FLOTILLA_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** True if the option may be given by this source. */
export function isGivenBy(spec: OptionSpec, source: GivenSource): boolean {
  return spec.sources?.includes(source) ?? true;
}
