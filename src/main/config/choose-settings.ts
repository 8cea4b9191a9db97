// SPDX-License-Identifier: Apache-2.0

import type { ConfigProblem } from "./config-problem.ts";
import { findBrokenRules } from "./cross-checks.ts";
import type { GivenValue, OptionSpec } from "./option.ts";
import type { ReadFile } from "./read-file.ts";
import { resolveDefault, resolveGiven, type Setting } from "./resolve.ts";

/** One setting per option, or the mistakes. */
export interface ChosenSettings {
  readonly settings: readonly Setting[];
  readonly mistakes: readonly ConfigProblem[];
}

/**
 * Chooses each option's value: the first one given, so the order of `given` is the precedence; else the default. All
 * given values are checked, also overridden ones, because removing the override would put them in use.
 */
export function chooseSettings(
  specs: readonly OptionSpec[],
  given: readonly GivenValue[],
  readFile: ReadFile,
): ChosenSettings {
  const chosen = new Map<OptionSpec, Setting>();
  const mistakes: ConfigProblem[] = [];
  for (const each of given) {
    const isInUse = specs.includes(each.spec) && !chosen.has(each.spec);
    const resolved = resolveGiven(each, readFile, isInUse);
    if (resolved.kind === "mistake") mistakes.push(resolved.mistake);
    else if (isInUse) chosen.set(each.spec, resolved.setting);
  }
  const givenSpecs = new Set(given.map(({ spec }) => spec));
  for (const spec of specs) {
    if (givenSpecs.has(spec)) continue;
    const resolved = spec.required === true ? missing(spec) : resolveDefault(spec);
    if (resolved.kind === "mistake") mistakes.push(resolved.mistake);
    else chosen.set(spec, resolved.setting);
  }
  const settings = specs.flatMap((spec) => chosen.get(spec) ?? []);
  return { settings, mistakes: [...mistakes, ...checkRules(settings)] };
}

function missing({ name }: OptionSpec) {
  const mistake: ConfigProblem = { place: `--${name}`, sentence: "is missing and must be given" };
  return { kind: "mistake" as const, mistake };
}

function checkRules(settings: readonly Setting[]): ConfigProblem[] {
  const byName = new Map(settings.map((setting) => [setting.spec.name, setting]));
  const values = new Map(settings.map(({ spec, value }) => [spec.name, value]));
  const given = new Set(settings.filter(({ source }) => source !== "default").map(({ spec }) => spec.name));
  return findBrokenRules(values, given).map(({ option, problem }) => {
    const source = byName.get(option)?.source ?? "default";
    const label = source === "flag" || source === "variable" ? "" : `${option} `;
    return { place: byName.get(option)?.place ?? "default", sentence: `${label}${problem}` };
  });
}
