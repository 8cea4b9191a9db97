// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseQuery } from "../../index/language/parse-query.ts";
import { optionTable, type VerbName } from "../config/option-table.ts";
import { readConfig } from "../config/read-config.ts";
import { verbs } from "./verbs.ts";

test("every verb that has options can be run, so no option is documented that nothing reads", () => {
  const named = new Set<string>(optionTable.flatMap(({ verbs: ofOption }) => ofOption));
  const runnable = new Set(verbs.map(({ name }) => name));
  expect([...named].filter((name) => !runnable.has(name))).toEqual([]);
});

test("a verb's name is one or two words, used once, and its summary one sentence", () => {
  const names = verbs.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, summary } of verbs) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)?( [a-z]+(-[a-z]+)?)?$/);
    expect(summary).toMatch(/^[A-Z][^\n]*\.$/);
  }
});

const examples = verbs.flatMap(({ name, args, examples: lines = [] }) => lines.map((line) => ({ name, args, line })));

test.each(examples)("[CL42] an example of $name can be run: $line", ({ name, args, line }) => {
  const words = Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? "");
  const verb = name.split(" ");
  expect(words.slice(0, verb.length)).toEqual(verb);
  const argv = words.slice(verb.length);
  const read = readConfig(name as VerbName, {
    argv,
    env: {},
    readFile: () => ({ kind: "unreadable", reason: "none" }),
    args,
  });
  const query = args.findIndex((arg) => arg.name === "QUERY");
  if (query >= 0) expect(() => parseQuery(read.args[query] ?? "")).not.toThrow();
});

test("[CL42] every verb about queries and access that takes arguments has an example", () => {
  const areas = ["query", "get", "problems", "compare", "relations", "saved-query run", "standing-query create"];
  const named = verbs.filter(({ name }) => areas.includes(name) || name.startsWith("access "));
  expect(named.length).toBeGreaterThan(areas.length);
  expect(named.filter((verb) => (verb.examples ?? []).length === 0).map(({ name }) => name)).toEqual([]);
});
