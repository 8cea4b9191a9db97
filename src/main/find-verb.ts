// SPDX-License-Identifier: Apache-2.0

import { suggestion } from "../base/nearest.ts";
import { quote } from "./config/mistake.ts";
import type { Verb } from "./verb.ts";

/** The verb that a command line starts with, and what follows its name; the longer name wins. */
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

/** One sentence for a command line that starts with no verb: what was meant, or what may follow a first word that is right. */
export function unknownVerb(verbs: readonly Verb[], argv: readonly string[]): string {
  const [first = "", second = ""] = argv;
  const following = verbs
    .filter((verb) => verb.name.startsWith(`${first} `))
    .map((verb) => verb.name.slice(first.length + 1));
  if (following.length > 0) {
    const given = second === "" || second.startsWith("-") ? "" : `, not ${quote(second)}`;
    return `${first} needs one of ${following.join(", ")} after it${given}${suggestion(second, following, String)}`;
  }
  if (first.startsWith("-")) return `${quote(first)} stands before the verb; flags come after it`;
  const names = new Set(verbs.flatMap((verb) => [verb.name.split(" ")[0] ?? "", verb.name]));
  const near = suggestion(first, names, String) || "; `flotilla help` lists them";
  return `unknown verb ${quote(first)}${near}`;
}
