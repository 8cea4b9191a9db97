// SPDX-License-Identifier: Apache-2.0
import type { EffectiveSetting } from "../../cli/config.ts";
import { say } from "../../cli/output/io.ts";
import type { OptionSpec } from "../config/option.ts";
import { optionsOf, optionTable } from "../config/option-table.ts";
import { readSettings } from "../config/read-config.ts";
import type { Verb } from "./verb.ts";

/** The verb that `flotilla config` shows by default; `npm start` runs it. */
const defaultVerb = "up";

/** Shows the configuration that another verb would run with, and where each value comes from. Secrets stay masked. */
export const configVerb: Verb = {
  name: "config",
  summary: "Shows the configuration a verb would run with and where each value comes from.",
  args: [{ name: "VERB", isOptional: true }],
  options: optionsOf("config"),
  run: async (argv, { io, readFile }) => {
    const { printConfig } = await import("../../cli/config.ts");
    const { verb, rest } = splitVerb(argv);
    const shown = optionsOf(verb).filter(isSetting);
    const names = new Set(shown.map(({ name }) => name));
    const accepted = [...shown, ...optionsOf("config").filter(({ name }) => !names.has(name))];
    const { settings, warnings } = readSettings(accepted, optionTable, { argv: rest, env: io.env, readFile });
    for (const warning of warnings) say(io, `warning: ${warning}`);
    const output = settings.find(({ spec }) => spec.name === "output")?.value;
    const list = settings
      .filter(({ spec }) => shown.includes(spec))
      .map(({ spec, shown: value, source, place }): EffectiveSetting => ({ name: spec.name, value, source, place }));
    await printConfig({ io, output: output === "json" || output === "yaml" ? output : "text" }, verb, list);
  },
};

/** The verb at the start of the arguments, if there is one that has options. */
function splitVerb(argv: readonly string[]): { readonly verb: string; readonly rest: readonly string[] } {
  for (const wordCount of [2, 1]) {
    const name = argv.slice(0, wordCount).join(" ");
    if (optionsOf(name).length > 0) return { verb: name, rest: argv.slice(wordCount) };
  }
  return { verb: defaultVerb, rest: argv };
}

/** False for a flag of a single call, which is not part of a configuration. */
function isSetting({ sources }: OptionSpec): boolean {
  return sources === undefined || sources.some((source) => source !== "flag");
}
