// SPDX-License-Identifier: Apache-2.0
// The rules of the house, held against the whole repository. Each rule has its own test in test/architecture/ on a
// sample that breaks it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../scripts/project.ts";
import { readCitations, readSections } from "../scripts/read-requirements.ts";
import { allowances, applyAllowances } from "./architecture/allowances.ts";
import { checkKnownIds, checkSpecRules } from "./architecture/cited-ids.ts";
import { checkCycles } from "./architecture/cycles.ts";
import { checkIndexWriters } from "./architecture/index-writers.ts";
import { checkDirections, checkPackages } from "./architecture/layers.ts";
import { checkRowAccess } from "./architecture/row-access.ts";
import {
  checkAny,
  checkDefaultExport,
  checkEmptyCatch,
  checkLength,
  checkLicenceLine,
  checkNames,
} from "./architecture/shape.ts";
import { formatViolation, readSourceTree, type Violation } from "./architecture/source-tree.ts";
import {
  checkAsynchrony,
  checkClockAndChance,
  checkProcess,
  checkPurity,
  checkSleeping,
  checkSystemImports,
  checkWorkspace,
} from "./architecture/surroundings.ts";
import { checkUniqueNames, readNamedSources } from "./architecture/unique-names.ts";

const files = readSourceTree();
const sections = readSections();
const citations = readCitations();

function readRuntimeDependencies(): Set<string> {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (typeof manifest !== "object" || manifest === null || !("dependencies" in manifest)) return new Set();
  return new Set(Object.keys(manifest.dependencies ?? {}));
}

const checks: readonly (readonly [string, Violation[]])[] = [
  ["imports point down, and components do not know each other", checkDirections(files)],
  [
    "pure folders import nothing of Node, and src/ only runtime packages",
    checkPackages(files, readRuntimeDependencies()),
  ],
  ["no file and no folder imports itself through others", checkCycles(files)],
  ["env, argv and exit are used in main/ and in workers only", checkProcess(files)],
  ["time and chance are asked of the machine at the doors only", checkClockAndChance(files)],
  ["the system clock and randomness are handed down from main/", checkSystemImports(files)],
  ["the workspace of the hub's rows is chosen in one place", checkWorkspace(files)],
  ["rows are read through the reader, with a subject", checkRowAccess(files)],
  ["[Q-25] rows enter the index through ingest alone", checkIndexWriters(files)],
  ["pure folders use no global of the machine", checkPurity(files)],
  ["folders that are simulated have no asynchrony but their ports", checkAsynchrony(files)],
  ["tests do not sleep or draw without a seed", checkSleeping(files)],
  ["no error is dropped without a word", checkEmptyCatch(files)],
  ["every export has a name", checkDefaultExport(files)],
  ["nothing is of type any", checkAny(files)],
  ["every file begins with the licence line", checkLicenceLine(files)],
  ["names are kebab-case and say what is inside", checkNames(files)],
  ["an exported type and a file have a name that no other has", checkUniqueNames(readNamedSources())],
  ["no file is too long", checkLength(files)],
  ["every id that a test cites exists once", checkKnownIds(sections, citations)],
  ["every spec rule is cited by a test, or says that it comes later", checkSpecRules(sections, citations)],
];

describe("the repository keeps its rules", () => {
  test.each(checks)("%s", (_name, violations) => {
    expect(applyAllowances(violations, allowances).remaining.map(formatViolation)).toEqual([]);
  });

  test("every allowance is still needed", () => {
    const all = checks.flatMap(([, violations]) => violations);
    expect(applyAllowances(all, allowances).unused).toEqual([]);
  });

  test("the tree that was read is the whole one", () => {
    const folders = new Set(files.map(({ path }) => path.split("/").slice(0, 2).join("/")));
    expect([...folders]).toEqual(
      expect.arrayContaining(["src/base", "src/gen", "test/architecture", "scripts/test.ts"]),
    );
  });
});
