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

describe("[CL30, L18] a token that cannot be sent in a header is refused where it is read, without its content", () => {
  const content = `{"private": "${value}"}`;
  const files = fakeFiles({
    "p.json": content,
    lines: `a\n${value}`,
    long: value.repeat(400),
    "f.yaml": "token: file:lines",
  });
  const sentence =
    "is not an access token: a token has no spaces, quotes or line breaks and at most 4096 characters; `flotilla token create` creates one";

  test.each([
    ["a flag", input({ argv: ["--token", "file:p.json"], readFile: files }), "--token: file:p.json "],
    [
      "a variable that names a file",
      input({ env: { FLOTILLA_TOKEN: "file:long" }, readFile: files }),
      "FLOTILLA_TOKEN: file:long ",
    ],
    ["a variable", input({ env: { FLOTILLA_TOKEN: content } }), "FLOTILLA_TOKEN: "],
    ["a file of settings", input({ argv: ["--config=f.yaml"], readFile: files }), "f.yaml:1:8: token file:lines "],
  ])("in %s", (_how, given, place) => {
    expect(mistakesOf(() => readConfig("cluster list", given))).toBe(`${place}${sentence}`);
    expect(mistakesOf(() => readConfig("login", given))).toBe(`${place}${sentence}`);
  });
});

test("[L18] a file of other content given as settings is refused without repeating it", () => {
  const readFile = fakeFiles({ f: `port: 1\n}${value}: [\n` });
  expect(mistakesOf(() => readConfig("hub", input({ argv: ["--config=f"], readFile })))).not.toContain(value);
});

test("[L18] the password of a URL is not repeated when the URL is refused", () => {
  const message = mistakesOf(() => readConfig("token list", input({ argv: ["--hub", `https://ann:${value}@hub`] })));
  expect(message).toBe('--hub: "https://ann:***@hub" must not contain a user or password; give a token instead');
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
