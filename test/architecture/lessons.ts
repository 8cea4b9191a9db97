// SPDX-License-Identifier: Apache-2.0
import { scanSource } from "../../scripts/scan-source.ts";
import type { Violation } from "./source-tree.ts";

/** One file that may cite lessons. */
export interface CitingFile {
  readonly path: string;
  readonly text: string;
}

const page = "docs/lessons.md";
const citation = /\[lesson ([\w.-]+)\]/g;
const skippedCall = /\b(?:test|it|describe)\.(?:skip|todo)\s*\(\s*$/;

/** One item of the page: what happened once, and the files whose tests show that it does not happen here. */
export interface Lesson {
  readonly id: string;
  readonly files: readonly string[];
}

/** The lessons of the page, in their order. An item may continue on indented lines. */
export function readLessons(text: string): readonly Lesson[] {
  return [...text.matchAll(/^- \*\*([\w.-]+)\*\* (\S.*(?:\n {2}\S.*)*)$/gm)].map(([, id = "", item = ""]) => {
    return { id, files: [...item.matchAll(/`([\w./-]+\.test\.tsx?)`/g)].map(([, file = ""]) => file) };
  });
}

/** The ids that the names of a file's tests cite; those of skipped tests and of comments do not count. */
export function findCitedLessons(text: string): readonly string[] {
  if (!text.includes("[lesson ")) return []; // most files; reading one as code takes a while
  const { code, literals } = scanSource(text);
  return literals
    .filter(({ start }) => !skippedCall.test(code.slice(0, start)))
    .flatMap((literal) => [...literal.text.matchAll(citation)].map(([, id = ""]) => id));
}

/**
 * Lessons without a test, files that are named and cite nothing, citations of what is not listed, and lessons that
 * stand twice.
 */
export function checkLessons(pageText: string, files: readonly CitingFile[]): Violation[] {
  const lessons = readLessons(pageText);
  const cited = new Set(files.flatMap(({ path, text }) => findCitedLessons(text).map((id) => `${id} ${path}`)));
  const listed = new Set(lessons.flatMap(({ id, files: named }) => named.map((file) => `${id} ${file}`)));
  const violation = (path: string, message: string): Violation => ({ rule: "lesson", path, line: 1, message });
  const ids = lessons.map(({ id }) => id);
  return [
    ...lessons.filter((lesson) => lesson.files.length === 0).map(({ id }) => violation(page, `${id} names no test`)),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => violation(page, `${id} stands twice`)),
    ...[...listed.difference(cited)].map((pair) => violation(page, `no test cites the lesson ${pair}`)),
    ...[...cited.difference(listed)].map((pair) => violation(page, `the page does not have the lesson ${pair}`)),
  ];
}
