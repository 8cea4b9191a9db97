// SPDX-License-Identifier: Apache-2.0
import { isAbsolute, join } from "node:path";
import { type ConfigProblem, quote } from "./config-problem.ts";
import { type GivenValue, type OptionSpec, type OptionValue, type Source, variableNameOf } from "./option.ts";
import { parseValue } from "./parse-value.ts";
import type { ReadFile } from "./read-file.ts";
import { loadSecret, parseSecretReference } from "./secret-value.ts";
import { explainServiceLink } from "./variables.ts";

/** The value of one option, its source, and its printable form. */
export interface Setting {
  readonly spec: OptionSpec;
  readonly source: Source;
  /** As in a ConfigProblem; `default` for a default. */
  readonly place: string;
  readonly value: OptionValue | undefined;
  /** For printing: durations and sizes as written, a secret as its reference or masked. */
  readonly shown: string | number | boolean | readonly string[] | undefined;
  readonly warning?: string;
}

/** A setting, or the mistake. */
export type Resolved =
  | { readonly kind: "setting"; readonly setting: Setting }
  | { readonly kind: "mistake"; readonly mistake: ConfigProblem };

/** Parses and checks a given value. A secret is read from its file only if `isInUse`. */
export function resolveGiven(given: GivenValue, readFile: ReadFile, isInUse: boolean): Resolved {
  const { spec, source, place, texts } = given;
  if (spec.type === "secret") return resolveSecret(spec, given, readFile, isInUse);
  const parsed = parseValue(spec, texts);
  if (parsed.kind === "problem") {
    const label = source === "file" ? `${spec.name} ` : "";
    return mistake(place, `${label}${quote(texts.join(","))} ${parsed.problem}${explainServiceLink(given)}`);
  }
  const value =
    spec.type === "path" && typeof parsed.value === "string" ? fromFolder(parsed.value, given) : parsed.value;
  return { kind: "setting", setting: { spec, source, place, value, shown: shownValue(spec, value, texts) } };
}

/** The default value. A test checks all defaults, so a wrong one is a bug. */
export function resolveDefault(spec: OptionSpec): Resolved {
  const place = "default";
  if (spec.type === "secret" || spec.default === undefined) {
    return { kind: "setting", setting: { spec, source: "default", place, value: undefined, shown: undefined } };
  }
  const texts = [spec.default];
  const parsed = parseValue(spec, texts);
  if (parsed.kind === "problem") return mistake(place, `${spec.name} ${quote(spec.default)} ${parsed.problem}`);
  const { value } = parsed;
  return { kind: "setting", setting: { spec, source: "default", place, value, shown: shownValue(spec, value, texts) } };
}

type SecretOption = Extract<OptionSpec, { readonly type: "secret" }>;

function resolveSecret(spec: SecretOption, given: GivenValue, readFile: ReadFile, isInUse: boolean): Resolved {
  const { source, place, texts } = given;
  const label = source === "file" ? `${spec.name} ` : "";
  const [text = "", second] = texts;
  if (second !== undefined) return mistake(place, `${label}must be one value, not several`);
  const found = parseSecretReference(text);
  if (found.kind === "text" && source !== "variable") {
    const danger = source === "flag" ? "others can read the command line" : "a settings file must not contain secrets";
    return mistake(place, `${label}must be file:PATH, because ${danger}; or put the value in ${variableNameOf(spec)}`);
  }
  const reference =
    found.kind === "file" && found.path !== "" ? { ...found, path: fromFolder(found.path, given) } : found;
  const shown = reference.kind === "file" ? `file:${reference.path}` : "***";
  if (!isInUse) return { kind: "setting", setting: { spec, source, place, value: undefined, shown } };
  const loaded = loadSecret(reference, readFile);
  if (loaded.kind === "problem") return mistake(place, `${label}${loaded.problem}`);
  const problem = spec.check?.(loaded.secret);
  if (problem !== undefined) return mistake(place, `${label}${reference.kind === "file" ? `${shown} ` : ""}${problem}`);
  const warning = loaded.warning === undefined ? {} : { warning: loaded.warning };
  return { kind: "setting", setting: { spec, source, place, value: loaded.secret, shown, ...warning } };
}

function fromFolder(path: string, { folder }: GivenValue): string {
  return folder === undefined || isAbsolute(path) ? path : join(folder, path);
}

function shownValue(spec: OptionSpec, value: OptionValue, texts: readonly string[]): Setting["shown"] {
  if (spec.type === "duration" || spec.type === "bytes") return texts.join();
  return typeof value === "object" && "reveal" in value ? "***" : value;
}

function mistake(place: string, sentence: string): Resolved {
  return { kind: "mistake", mistake: { place, sentence } };
}
