// SPDX-License-Identifier: Apache-2.0
// Finds the ids that tests cite. A citation is a string that begins with ids in brackets, followed by a sentence, like
// a test name: "[N-24] ...", "[ST3, U-7] ...". Names in a table count too; a skipped test does not.
import { scanSource } from "./scan-source.ts";

/** One test name that cites ids. */
export interface Citation {
  readonly file: string;
  readonly ids: readonly string[];
  /** The name as written, without the ids. */
  readonly name: string;
  /** True if the test runs the whole system: see `isRunningSystem`. */
  readonly isRunning: boolean;
}

/** Folders whose tests start the program, open the page in a browser, or use real Kubernetes. */
const runningFolders = ["test/e2e/", "test/browser/", "test/kubernetes/"];

/**
 * True if the tests of a file run the system as users do: the process, the page, the CLI, a real cluster, or the whole
 * hub on real ports and files.
 */
export function isRunningSystem(file: string, text: string): boolean {
  if (runningFolders.some((folder) => file.startsWith(folder))) return true;
  return file.startsWith("test/integration/") && text.includes("/support/running-hub.ts");
}

const idList = String.raw`\[[A-Z]{1,3}-?\d+(?:,\s*[A-Z]{1,3}-?\d+)*\]`;
const citation = new RegExp(`^((?:${idList}\\s*)+)\\s(\\S[\\s\\S]*)$`);
const skippedCall = /\b(?:test|it|describe)\.(?:skip|todo)\s*\(\s*$/;

/** The citations of one test file, in file order. */
export function findCitations(file: string, text: string): Citation[] {
  const { code, literals } = scanSource(text);
  const found: Citation[] = [];
  const isRunning = isRunningSystem(file, text);
  for (const literal of literals) {
    const match = citation.exec(literal.text);
    if (match === null || skippedCall.test(code.slice(0, literal.start))) continue;
    const [, brackets = "", name = ""] = match;
    found.push({
      file,
      ids: [...brackets.matchAll(/[A-Z]{1,3}-?\d+/g)].map(([id]) => id),
      name: name.trim(),
      isRunning,
    });
  }
  return found;
}
