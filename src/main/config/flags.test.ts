// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseFlags } from "./flags.ts";
import type { OptionSpec } from "./option.ts";

const base = { description: "", verbs: ["x"] };
const specs: readonly OptionSpec[] = [
  { ...base, name: "port", type: "integer", min: 0, max: 9 },
  { ...base, name: "output", type: "string", short: "o" },
  { ...base, name: "hosts", type: "list" },
  { ...base, name: "open", type: "boolean" },
  { ...base, name: "sort", type: "list", takesDash: true },
  { ...base, name: "only-in-file", type: "string", sources: ["file"] },
];

function parse(...argv: string[]) {
  const { given, args, mistakes } = parseFlags(specs, argv);
  return {
    given: Object.fromEntries(given.map(({ spec, texts }) => [spec.name, texts.join("|")])),
    args,
    mistakes: mistakes.map(({ place, sentence }) => `${place}: ${sentence}`),
  };
}

test.each<[string[], Record<string, string>]>([
  [["--port", "1"], { port: "1" }],
  [["--port=1"], { port: "1" }],
  [["--port=-1"], { port: "-1" }],
  [["--output="], { output: "" }],
  [["--output=a=b"], { output: "a=b" }],
  [["-o", "json"], { output: "json" }],
  [["-ojson"], { output: "json" }],
  [["-o=json"], { output: "json" }],
  [["--open"], { open: "true" }],
  [["--no-open"], { open: "false" }],
  [["--open=false"], { open: "false" }],
  [["--hosts", "a,b", "--hosts=c"], { hosts: "a,b|c" }],
  [["--sort", "-age", "--sort=-name", "--sort", "kind"], { sort: "-age|-name|kind" }],
])("%j gives %j", (argv, given) => {
  expect(parse(...argv)).toEqual({ given, args: [], mistakes: [] });
});

test("arguments may stand between flags, and after -- everything is one", () => {
  expect(parse("first", "--open", "-", "--port", "1", "--", "--port", "-x")).toEqual({
    given: { open: "true", port: "1" },
    args: ["first", "-", "--port", "-x"],
    mistakes: [],
  });
});

test("a negative number is a value, whose range is checked later", () => {
  expect(parse("--port", "-1")).toEqual({ given: { port: "-1" }, args: [], mistakes: [] });
});

test("every mistake is found: unknown flags with the nearest one, a missing value, one given twice", () => {
  expect(
    parse("--prot", "--port", "--output", "a", "-o", "b", "-q", "--only-in-file", "v", "--hosts").mistakes,
  ).toEqual([
    'command line: unknown flag "--prot"; did you mean --port?',
    "--port: needs a value",
    "--output: is given twice; give it once",
    'command line: unknown flag "-q"',
    'command line: unknown flag "--only-in-file"',
    "--hosts: needs a value",
  ]);
});

test.each([
  ["-abc"],
  ["--no-port"],
  ["--no-open=x"],
  ["--no-no-open"],
  ["---port"],
  ["--__proto__"],
  ["--constructor"],
])("%j is one unknown flag", (word) => {
  expect(parse(word)).toMatchObject({ given: {}, args: [], mistakes: [expect.stringContaining("unknown flag")] });
});

test("a flag that lacks its value does not swallow the next flag", () => {
  expect(parse("--port", "--open").given).toEqual({ open: "true" });
  expect(parse("--sort", "--open").given).toEqual({ open: "true" });
});

test("[L18] the value of an unknown flag is not repeated", () => {
  expect(parse("--tokn=s3cr3t").mistakes.join()).not.toContain("s3cr3t");
});
