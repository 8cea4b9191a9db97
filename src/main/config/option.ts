// SPDX-License-Identifier: Apache-2.0
// What an option is, and the types that follow from a table of them. The table itself is option-table.ts.
import type { Secret } from "./secret.ts";

/** Where a value was given. A flag wins over a variable, a variable over the file, the file over the default. */
export type GivenSource = "flag" | "variable" | "file";

/** Where the value in force came from. */
export type Source = GivenSource | "default";

interface OptionBase<Type extends string, Value> {
  /** Kebab-case; the flag, the key in the file, and (upper case, FLOTILLA_ before it) the variable. */
  readonly name: string;
  readonly type: Type;
  /** Full sentences; the first one alone is the line in `--help`. */
  readonly description: string;
  /** Who reads it. A verb refuses flags of options that are not its own. */
  readonly verbs: readonly string[];
  /** As somebody would write it, so that one parser reads defaults and given values. */
  readonly default?: string;
  /** True for one that must be given. */
  readonly required?: true;
  /** One letter. */
  readonly short?: string;
  /** Left out: all three. An argument of a single call, such as the user of a new token, is a flag only. */
  readonly sources?: readonly GivenSource[];
  /** What is wrong with a value, as words that follow it: `must be …`. Undefined when nothing is. */
  readonly check?: (value: Value) => string | undefined;
}

/** One option. A duration is kept in milliseconds, a size in bytes; a secret is given by reference, never on the command line. */
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

/** The type of one option's value; undefined is among it when the option has no default and need not be given. */
type ValueOf<Option extends OptionSpec> =
  | (Option extends { readonly choices: readonly (infer Choice)[] } ? Choice : ValueByType[Option["type"]])
  | (Option extends { readonly default: string } | { readonly required: true } ? never : undefined);

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type Unit<Type extends OptionType> = Type extends "duration" ? "Ms" : Type extends "bytes" ? "Bytes" : "";

/** What `verb` reads out of `Table`, by field: `request-timeout`, a duration, is `requestTimeoutMs`. */
export type ValuesOf<Table extends readonly OptionSpec[], Verb extends string> = {
  readonly [Option in Table[number] as Verb extends Option["verbs"][number]
    ? `${Camel<Option["name"]>}${Unit<Option["type"]>}`
    : never]: ValueOf<Option>;
};

/** The field of the configuration that holds this option's value; the same rule as in ValuesOf. */
export function fieldNameOf({ name, type }: Pick<OptionSpec, "name" | "type">): string {
  const camel = name.replace(/-([a-z0-9])/g, (_dash, letter: string) => letter.toUpperCase());
  return `${camel}${type === "duration" ? "Ms" : type === "bytes" ? "Bytes" : ""}`;
}

/** `FLOTILLA_DATA_DIR` for `data-dir`. */
export function variableNameOf({ name }: Pick<OptionSpec, "name">): string {
  return `FLOTILLA_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** True when the option may be given there. */
export function isGivenBy(spec: OptionSpec, source: GivenSource): boolean {
  return spec.sources?.includes(source) ?? true;
}
