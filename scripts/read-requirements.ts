// SPDX-License-Identifier: Apache-2.0
// Reads the repository's files for the requirements page and the architecture test.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Citation, findCitations } from "./citations.ts";
import { root } from "./project.ts";
import { type DocumentText, type IdSection, parseRequirements, parseSpec } from "./requirement-ids.ts";

/** Files that may cite an id: tests beside the code, and all of test/ (contract suites are not test files). */
const testFiles = ["src/**/*.test.ts", "test/**/*.ts", "ui/src/**/*.test.{ts,tsx}"];

/** All files that match the patterns, by path from the root with `/`, sorted bytewise. */
export function listFiles(patterns: readonly string[]): string[] {
  const found = globSync(patterns, { cwd: root, exclude: (path) => path.includes("node_modules") });
  return found.map((path) => path.replaceAll("\\", "/")).sort();
}

/** All sections: the requirements first, then the spec pages by name. */
export function readSections(): IdSection[] {
  const spec = listFiles(["docs/spec/*.md"]).map((path) => parseSpec(readDocument(path)));
  return [...parseRequirements(readDocument("docs/requirements.md")), ...spec];
}

/** All citations of all tests. */
export function readCitations(): Citation[] {
  return listFiles(testFiles).flatMap((path) => findCitations(path, readDocument(path).text));
}

function readDocument(path: string): DocumentText {
  return { path, text: readFileSync(join(root, path), "utf8") };
}
