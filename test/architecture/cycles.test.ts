// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { checkCycles } from "./cycles.ts";
import { toSourceFile } from "./source-tree.ts";

function cycles(files: Readonly<Record<string, string>>): string[] {
  const sources = Object.entries(files).map(([path, text]) => toSourceFile(path, text));
  return checkCycles(sources).map(({ rule, message }) => `${rule}: ${message}`);
}

test("a cycle over three files is found once, however many lead into it", () => {
  expect(
    cycles({
      "src/hub/d.ts": 'import "./b.ts";',
      "src/hub/b.ts": 'import "./c.ts";',
      "src/hub/c.ts": 'import "./a.ts";',
      "src/hub/a.ts": 'import "./b.ts";\nimport "./leaf.ts";',
      "src/hub/leaf.ts": "",
    }),
  ).toEqual(["cycle: src/hub/a.ts -> src/hub/b.ts -> src/hub/c.ts -> src/hub/a.ts"]);
});

test("types alone make a cycle too", () => {
  expect(
    cycles({
      "src/hub/a.ts": 'import type { B } from "./b.ts";',
      "src/hub/b.ts": 'import type { A } from "./a.ts";',
    }),
  ).toEqual(["cycle: src/hub/a.ts -> src/hub/b.ts -> src/hub/a.ts"]);
});

test("two folders that import each other through different files are a cycle", () => {
  expect(
    cycles({
      "src/rpc/a.ts": 'import "../store/a.ts";',
      "src/store/a.ts": "",
      "src/store/b.ts": 'import "../rpc/b.ts";',
      "src/rpc/b.ts": "",
    }),
  ).toEqual(["folder-cycle: rpc -> store -> rpc"]);
});

test("a diamond, a lazy import and a test are no cycle", () => {
  expect(
    cycles({
      "src/hub/a.ts": 'import "./b.ts";\nimport "./c.ts";',
      "src/hub/b.ts": 'import "./d.ts";',
      "src/hub/c.ts": 'import "./d.ts";',
      "src/hub/d.ts": 'const a = () => import("./a.ts");',
      "src/hub/a.test.ts": 'import "./a.ts";',
    }),
  ).toEqual([]);
});
