// SPDX-License-Identifier: Apache-2.0

import { suggestion } from "../../base/nearest.ts";
import { quote } from "../config/config-problem.ts";
import type { Verb } from "./verb.ts";

/** The verb at the start of a command line, and the arguments after it. The longer name is preferred. */
export function findVerb(
  verbs: readonly Verb[],
  argv: readonly string[],
): { readonly verb: Verb; readonly rest: readonly string[] } | undefined {
  for (const wordCount of [2, 1]) {
    const name = argv.slice(0, wordCount).join(" ");
    const verb = argv.length < wordCount ? undefined : verbs.find((each) => each.name === name);
    if (verb !== undefined) return { verb, rest: argv.slice(wordCount) };
  }
  return undefined;
}

/**
 * One sentence for a command line without a known verb: the closest verb, or the words that may follow a valid first
 * word.
 */
export function unknownVerb(verbs: readonly Verb[], argv: readonly string[]): string {
  const [first = "", second = ""] = argv;
  const following = verbs
    .filter((verb) => verb.name.startsWith(`${first} `))
    .map((verb) => verb.name.slice(first.length + 1));
  if (following.length > 0) {
    const given = second === "" || second.startsWith("-") ? "" : `, not ${quote(second)}`;
    return `${first} needs one of ${following.join(", ")} after it${given}${suggestion(second, following, String)}`;
  }
  if (first.startsWith("-")) return `${quote(first)} is before the verb; put flags after it`;
  const names = new Set(verbs.flatMap((verb) => [verb.name.split(" ")[0] ?? "", verb.name]));
  const near = suggestion(first, names, String) || "; `flotilla help` lists them";
  return `unknown verb ${quote(first)}${near}`;
}
