// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { parseConfigFile } from "./config-file.ts";
import { optionTable } from "./option-table.ts";

function parse(text: string) {
  const { given, mistakes } = parseConfigFile("conf/f.yaml", text, optionTable);
  return {
    given: given.map(({ spec, place, texts }) => `${place} ${spec.name}=${texts.join("|")}`),
    mistakes: mistakes.map(({ place, sentence }) => `${place}: ${sentence}`),
  };
}

test("scalars and lists are taken as written, each with its place", () => {
  const text = "# hub\nport: 0x10\nhosts: [a, 'b']\nencrypted-resources:\n  - /secrets\n  - x/y\nlog-level:   debug\n";
  expect(parse(text)).toEqual({
    given: [
      "conf/f.yaml:2:7 port=0x10",
      "conf/f.yaml:3:8 hosts=a|b",
      "conf/f.yaml:5:3 encrypted-resources=/secrets|x/y",
      "conf/f.yaml:7:14 log-level=debug",
    ],
    mistakes: [],
  });
});

test.each(["", "\n", "# nothing\n", "---\n", "~"])("an empty file (%j) sets nothing", (text) => {
  expect(parse(text)).toEqual({ given: [], mistakes: [] });
});

describe("[U-76] mistakes", () => {
  test("unknown keys, wrong shapes and keys that belong elsewhere are all found, with line and column", () => {
    const text = "prot: 1\ndataDir: x\nport:\nhosts: {a: b}\nlog-level: [[debug]]\nconfig: other.yaml\nttl: 1h\n";
    expect(parse(text).mistakes).toEqual([
      'conf/f.yaml:1:1: unknown setting "prot"; did you mean port?',
      'conf/f.yaml:2:1: unknown setting "dataDir"; did you mean data-dir?',
      "conf/f.yaml:3:1: port must be a single value",
      "conf/f.yaml:4:1: hosts must be a list of values",
      "conf/f.yaml:5:1: log-level must be a single value",
      'conf/f.yaml:6:1: "config" cannot be set in a file; give it as a flag',
      'conf/f.yaml:7:1: "ttl" cannot be set in a file; give it as a flag',
    ]);
  });

  test("a key given twice is a mistake with its place", () => {
    expect(parse("port: 1\nport: 2\n").mistakes).toEqual([expect.stringMatching(/^conf\/f\.yaml:2:1: is not YAML/)]);
  });

  test("broken YAML, two documents, aliases and text that is no map are mistakes, never a crash", () => {
    for (const text of ["port: [1", "\tport: 1", "a: 1\n---\nb: 2\n", "- port", "port", "hosts: &a [x]\nport: *a\n"]) {
      expect(parse(text).mistakes.length).toBeGreaterThan(0);
    }
  });

  test("brackets nested deeper than any file of settings are refused", () => {
    expect(parse("[".repeat(1_000)).mistakes.length).toBeGreaterThan(0);
  });
});
