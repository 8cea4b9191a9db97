// SPDX-License-Identifier: Apache-2.0
// Writes docs/reference/requirements.md from what was found. The same ids and names give the same bytes on every machine.
import type { Citation } from "./citations.ts";
import type { CitableId, IdSection } from "./requirement-ids.ts";

/** How much of an id's sentence the page repeats: enough to know it by, on one line of a terminal. */
const excerptLength = 90;

/** What one section has, for the table on top and for the summary. */
export interface SectionCount {
  readonly title: string;
  readonly citedCount: number;
  readonly openCount: number;
  /** Of the open ones, those whose own text lets them wait. */
  readonly laterCount: number;
}

/** Counts ids by whether a test cites them. */
export function countSections(sections: readonly IdSection[], citations: readonly Citation[]): SectionCount[] {
  const cited = new Set(citations.flatMap((citation) => citation.ids));
  return sections.map(({ title, ids }) => {
    const open = ids.filter(({ id }) => !cited.has(id));
    return {
      title,
      citedCount: ids.length - open.length,
      openCount: open.length,
      laterCount: open.filter(({ isLater }) => isLater).length,
    };
  });
}

/** The whole page. Ids come in the order of their documents, tests by file, then by name. */
export function renderRequirementsPage(sections: readonly IdSection[], citations: readonly Citation[]): string {
  const lines = [
    "# Requirements and rules, and the tests that cite them",
    "",
    "Written by `npm run requirements` from `docs/requirements.md`, `docs/spec/` and the names of the tests. An id without a test is",
    "open work; `npm test` fails while this page is out of date.",
    "",
    ...renderTable(countSections(sections, citations)),
  ];
  const testsOf = groupByTest(citations);
  for (const section of sections) {
    lines.push("", `## ${section.title}`, "");
    for (const entry of section.ids) lines.push(...renderId(entry, testsOf.get(entry.id)));
  }
  return `${lines.join("\n")}\n`;
}

/** Aligned, as the formatter wants it. */
function renderTable(counts: readonly SectionCount[]): string[] {
  const total = (of: "citedCount" | "openCount" | "laterCount"): number =>
    counts.reduce((sum, count) => sum + count[of], 0);
  const all: SectionCount = {
    title: "all",
    citedCount: total("citedCount"),
    openCount: total("openCount"),
    laterCount: total("laterCount"),
  };
  const head = ["section", "cited by a test", "open", "of these, may come later"];
  const body = [...counts, all].map(({ title, citedCount, openCount, laterCount }) =>
    [title, citedCount, openCount, laterCount].map(String),
  );
  const widths = head.map((_, at) => Math.max(...[head, ...body].map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const pad = (row: readonly string[]): string[] =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
  const rule = widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const padHead = head.map((cell, at) => cell.padEnd(widths[at] ?? 0));
  return [line(padHead), line(rule), ...body.map((row) => line(pad(row)))];
}

function renderId(entry: CitableId, tests: readonly string[] | undefined): string[] {
  const head = `- **${entry.id}** ${excerpt(entry.text)}`;
  if (tests === undefined) return [`${head} (${entry.isLater ? "open, later" : "open"})`];
  return [head, ...tests.map((test) => `  - ${test}`)];
}

function groupByTest(citations: readonly Citation[]): Map<string, string[]> {
  const tests = new Map<string, Set<string>>();
  for (const { file, ids, name } of citations) {
    const line = `\`${file}\`: ${name.replaceAll(/\s+/g, " ")}`;
    for (const id of ids) tests.set(id, (tests.get(id) ?? new Set()).add(line));
  }
  return new Map([...tests].map(([id, lines]) => [id, [...lines].sort()]));
}

/** The first words, cut between two words and never inside a code span. */
function excerpt(text: string): string {
  if (text.length <= excerptLength) return text;
  let cut = text.slice(0, text.lastIndexOf(" ", excerptLength));
  if (cut.split("`").length % 2 === 0) cut = cut.slice(0, cut.lastIndexOf("`"));
  return `${cut.replace(/[\s,;:(]+$/, "")} ...`;
}
