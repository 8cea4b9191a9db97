// SPDX-License-Identifier: Apache-2.0
// Finds the ids that tests cite. A citation is a text that begins with ids in brackets and goes on with a sentence, as a
// test's name does: "[N-24] ...", "[ST3, U-7] ...". It counts also in a table of names; a skipped test proves nothing.
import { scanSource } from "./scan-source.ts";

/** One test name that cites ids. */
export interface Citation {
  readonly file: string;
  readonly ids: readonly string[];
  /** The name as written, without the ids. */
  readonly name: string;
}

const idList = String.raw`\[[A-Z]{1,3}-?\d+(?:,\s*[A-Z]{1,3}-?\d+)*\]`;
const citation = new RegExp(`^((?:${idList}\\s*)+)\\s(\\S[\\s\\S]*)$`);
const skippedCall = /\b(?:test|it|describe)\.(?:skip|todo)\s*\(\s*$/;

/** The citations of one test file, in the order in which they stand there. */
export function findCitations(file: string, text: string): Citation[] {
  const { code, literals } = scanSource(text);
  const found: Citation[] = [];
  for (const literal of literals) {
    const match = citation.exec(literal.text);
    if (match === null || skippedCall.test(code.slice(0, literal.start))) continue;
    const [, brackets = "", name = ""] = match;
    found.push({ file, ids: [...brackets.matchAll(/[A-Z]{1,3}-?\d+/g)].map(([id]) => id), name: name.trim() });
  }
  return found;
}
