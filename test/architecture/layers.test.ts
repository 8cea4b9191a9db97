// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { checkDirections, checkPackages } from "./layers.ts";
import { toSourceFile } from "./source-tree.ts";

function directions(path: string, text: string): string[] {
  return checkDirections([toSourceFile(path, text)]).map(({ message }) => message);
}

const dependencies = new Set(["pino", "@bufbuild/protobuf", "xxhash-wasm"]);

function packages(path: string, text: string): string[] {
  return checkPackages([toSourceFile(path, text)], dependencies).map(({ message }) => message);
}

describe("directions", () => {
  test.each([
    ["down over several layers", "src/hub/a.ts", 'import "../model/b.ts";'],
    ["within a folder", "src/hub/a.ts", 'import "./query/b.ts";'],
    ["adapter to adapter", "src/rpc/a.ts", 'import "../telemetry/b.ts";'],
    ["main to everything", "src/main/a.ts", 'import "../hub/b.ts";\nimport "../cli/c.ts";'],
    ["a test to its support", "src/hub/a.test.ts", 'import "../../test/support/b.ts";'],
    ["a test to a page of the docs", "src/main/a.test.ts", 'new URL("../../docs/reference/a.md", import.meta.url);'],
    ["migrations", "src/store/sqlite/a.ts", 'new URL("../../../sql/hub/", import.meta.url);'],
    ["scripts, which no layer holds", "scripts/a.ts", 'import "../src/main/b.ts";'],
  ])("allowed: %s", (_name, path, text) => {
    expect(directions(path, text)).toEqual([]);
  });

  test.each([
    ["up", "src/base/a.ts", 'import "../model/b.ts";', "src/base is below src/model and must not import it"],
    ["up by a type", "src/rpc/a.ts", 'import type { B } from "../hub/b.ts";', "src/rpc is below src/hub"],
    ["up by a dynamic import", "src/rpc/a.ts", 'await import("../hub/b.ts");', "src/rpc is below src/hub"],
    ["up by a worker", "src/rpc/a.ts", 'new URL("../hub/b-worker.ts", import.meta.url);', "src/rpc is below"],
    ["up in a test", "src/model/a.test.ts", 'import "../store/b.ts";', "src/model is below src/store"],
    ["the CLI to the hub", "src/cli/a.ts", 'import "../hub/b.ts";', "src/cli and src/hub are components"],
    ["out of src/", "src/hub/a.ts", 'import "../../test/support/b.ts";', "src/hub imports from outside src/"],
    ["to a page of the docs", "src/main/a.ts", 'new URL("../../docs/a.md", import.meta.url);', "from outside src/"],
    ["to test code", "src/hub/a.ts", 'import "../rbac/testing/b.ts";', "shipped code must not import test code"],
    ["a folder without a place", "src/stuff/a.ts", "", "src/stuff has no place in the layers"],
  ])("refused: %s", (_name, path, text, expected) => {
    expect(directions(path, text)).toEqual([expect.stringContaining(expected)]);
  });
});

describe("packages", () => {
  test.each([
    ["Node in an adapter", "src/store/a.ts", 'import "node:fs";'],
    ["a runtime package", "src/telemetry/a.ts", 'import "pino";'],
    ["protobuf in pure code", "src/session/a.ts", 'import { create } from "@bufbuild/protobuf/wkt";'],
    ["the hash in pure code", "src/model/a.ts", 'import x from "xxhash-wasm";'],
    ["Node and the test runner in a test of pure code", "src/model/a.test.ts", 'import "node:fs";\nimport "vitest";'],
  ])("allowed: %s", (_name, path, text) => {
    expect(packages(path, text)).toEqual([]);
  });

  test.each([
    ["Node in pure code", "src/model/a.ts", 'import "node:crypto";', "is pure and imports no Node module"],
    ["a type of Node in pure code", "src/rbac/a.ts", 'import type { A } from "node:fs";', "imports no Node module"],
    ["a package in pure code", "src/index/a.ts", 'import "pino";', "may not import this package"],
    ["a development package in shipped code", "src/rpc/a.ts", 'import "vitest";', "not a runtime dependency"],
    ["Node without its prefix", "src/rpc/a.ts", 'import "fs";', "node: prefix"],
    ["an unknown package in a test", "src/rpc/a.test.ts", 'import "sinon";', "not a package of tests"],
    ["a computed import", "src/rpc/a.ts", "await import(name);", "cannot be read off the text"],
  ])("refused: %s", (_name, path, text, expected) => {
    expect(packages(path, text)).toEqual([expect.stringContaining(expected)]);
  });
});
