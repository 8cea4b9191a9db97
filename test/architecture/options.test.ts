// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunningSystem } from "../../scripts/citations.ts";
import { root } from "../../scripts/project.ts";
import { listFiles } from "../../scripts/read-requirements.ts";
import type { OptionSpec } from "../../src/main/config/option.ts";
import { optionTable } from "../../src/main/config/option-table.ts";
import { findUnread, findUnseen, type NamedText, provenByParts } from "./options.ts";

const all: readonly OptionSpec[] = optionTable;

function read(...patterns: readonly string[]): readonly NamedText[] {
  return listFiles(patterns).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

test("every option is read by something outside of the configuration", () => {
  const sources = read("src/main/**/*.ts", "src/cli/**/*.ts").filter(
    ({ path }) => !path.startsWith("src/main/config/") && !path.endsWith(".test.ts"),
  );
  expect(findUnread(all, sources)).toEqual([]);
});

test("every option is set by a test of the running system, or the test of the part that it sets is listed", () => {
  const running = read("test/**/*.ts").filter(({ path, text }) => isRunningSystem(path, text));
  expect(findUnseen(all, running, (path) => existsSync(join(root, path)))).toEqual([]);
  const names = new Set(all.map(({ name }) => name));
  expect(Object.keys(provenByParts).filter((name) => !names.has(name))).toEqual([]);
});

test("an option that nothing reads or sets is found", () => {
  const option: OptionSpec = { name: "new-limit", type: "duration", description: "", verbs: ["hub"], default: "1s" };
  const nowhere = [{ path: "a.ts", text: 'run("--new-limits", config.newLimit)' }];
  expect(findUnread([option], nowhere)).toHaveLength(1);
  expect(findUnseen([option], nowhere, () => true)).toHaveLength(1);
  const somewhere = [{ path: "a.ts", text: 'run("--new-limit", "2s", config.newLimitMs)' }];
  expect([...findUnread([option], somewhere), ...findUnseen([option], somewhere, () => true)]).toEqual([]);
});
