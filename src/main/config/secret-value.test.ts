// SPDX-License-Identifier: Apache-2.0
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { ConfigProblemsError } from "./config-problem.ts";
import { readConfig } from "./read-config.ts";
import { Secret } from "./secret-value.ts";
import { fakeFiles, input } from "./testing/config-input.ts";

const value = "s3cr3t-value";

function mistakesOf(read: () => unknown): string {
  try {
    read();
  } catch (reason) {
    if (reason instanceof ConfigProblemsError) return reason.message;
    throw reason;
  }
  return "none";
}

test("[L18] a secret shows nothing of itself by any of the usual ways", () => {
  const secret = new Secret(value);
  const shown = [
    String(secret),
    JSON.stringify({ secret }),
    inspect(secret, { depth: 9, showHidden: true }),
    secret.toString(),
  ];
  expect(shown.join()).not.toContain(value);
  expect(secret.reveal()).toBe(value);
});

test.each([
  ["variable", input({ env: { FLOTILLA_TOKEN: ` ${value}\n` } })],
  ["variable naming a file", input({ env: { FLOTILLA_TOKEN: "file:t" }, readFile: fakeFiles({ t: `${value}\n` }) })],
  ["flag naming a file", input({ argv: ["--token", "file:t"], readFile: fakeFiles({ t: value }) })],
  [
    "file naming a file, from its own folder",
    input({ argv: ["--config", "etc/f.yaml"], readFile: fakeFiles({ "etc/f.yaml": "token: file:t", "etc/t": value }) }),
  ],
])("a secret comes by %s", (_how, given) => {
  const { config, settings } = readConfig("token list", given);
  expect(config.token?.reveal()).toBe(value);
  expect(JSON.stringify(settings)).not.toContain(value);
});

describe("[L18] refused, without repeating the value", () => {
  test("on the command line", () => {
    const message = mistakesOf(() => readConfig("token list", input({ argv: ["--token", value] })));
    expect(message).toBe(
      "--token: must be file:PATH, because others can read the command line; or put the value in FLOTILLA_TOKEN",
    );
  });

  test("in a file of settings", () => {
    const readFile = fakeFiles({ f: `token: ${value}` });
    const message = mistakesOf(() => readConfig("token list", input({ argv: ["--config=f"], readFile })));
    expect(message).toContain("f:1:8: token must be file:PATH");
    expect(message).not.toContain(value);
  });

  test.each([
    ["file:", "names no file"],
    ["file:missing", "missing does not exist"],
    ["file:empty", "empty is empty"],
  ])("%s", (text, expected) => {
    const given = input({ env: { FLOTILLA_TOKEN: text }, readFile: fakeFiles({ empty: " \n" }) });
    expect(mistakesOf(() => readConfig("token list", given))).toContain(expected);
  });
});

test("a secret's file that everybody can read is warned about; one for its owner and group is not", () => {
  const readFile = fakeFiles({ open: value, shut: value }, { open: 0o644, shut: 0o640 });
  const warningsOf = (path: string) =>
    readConfig("token list", input({ env: { FLOTILLA_TOKEN: `file:${path}` }, readFile })).warnings;
  expect(warningsOf("open")).toEqual([expect.stringContaining("open contains a secret and every user")]);
  expect(warningsOf("shut")).toEqual([]);
});

test("a secret that another source overrides, or that the verb does not use, is not read", () => {
  const readFile = fakeFiles({ f: "token: file:missing" });
  const env = { FLOTILLA_TOKEN: value, FLOTILLA_CONFIG: "f" };
  expect(readConfig("token list", input({ env, readFile })).config.token?.reveal()).toBe(value);
  expect(readConfig("hub", input({ env, readFile })).config.port).toBe(7443);
});
