// SPDX-License-Identifier: Apache-2.0
// Writes docs/reference/requirements.md from what was found. The same ids and names give the same bytes on every machine.
import type { Citation } from "./citations.ts";
import type { CitableId, IdSection } from "./requirement-ids.ts";

/** How much of an id's sentence the page repeats: enough to know it by, on one line of a terminal. */
const excerptLength = 90;

/** What one section has, for the table on top and for the summary. */
export interface SectionCount {
  readonly title: string;
  readonly idCount: number;
  /** Cited by any test. */
  readonly citedCount: number;
  /** Cited by a test of the running system. */
  readonly shownCount: number;
  readonly openCount: number;
  /** Of the open ones, those whose own text lets them wait. */
  readonly laterCount: number;
}

/** Which ids have tests, and of what. */
interface CitedIds {
  readonly all: ReadonlySet<string>;
  readonly running: ReadonlySet<string>;
}

function citedIds(citations: readonly Citation[]): CitedIds {
  const ids = (of: readonly Citation[]): ReadonlySet<string> => new Set(of.flatMap((citation) => citation.ids));
  return { all: ids(citations), running: ids(citations.filter(({ isRunning }) => isRunning)) };
}

/** A requirement is open until the running system shows it; a law or a rule of the code until any test does. */
function isOpen({ id }: CitableId, kind: IdSection["kind"], cited: CitedIds): boolean {
  return !(kind === "requirements" ? cited.running : cited.all).has(id);
}

/** Counts ids by which tests cite them. */
export function countSections(sections: readonly IdSection[], citations: readonly Citation[]): SectionCount[] {
  const cited = citedIds(citations);
  return sections.map(({ title, kind, ids }) => {
    const open = ids.filter((entry) => isOpen(entry, kind, cited));
    return {
      title,
      idCount: ids.length,
      citedCount: ids.filter(({ id }) => cited.all.has(id)).length,
      shownCount: ids.filter(({ id }) => cited.running.has(id)).length,
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
    "Written by `npm run requirements` from `docs/requirements.md`, `docs/spec/` and the names of the tests; `npm test` fails while this",
    "page is out of date. A test of the running system (`runs`) starts the program or the whole hub, opens the page in a browser, uses the CLI",
    "or a real Kubernetes; any other is of a part (`part`). A requirement is open until a test of the running system cites it. A law or a",
    "rule of a spec page is open until any test does.",
    "",
    ...renderTable(countSections(sections, citations)),
  ];
  const testsOf = groupByTest(citations);
  const cited = citedIds(citations);
  for (const { title, kind, ids } of sections) {
    lines.push("", `## ${title}`, "");
    for (const entry of ids) lines.push(...renderId(entry, isOpen(entry, kind, cited), testsOf.get(entry.id) ?? []));
  }
  return `${lines.join("\n")}\n`;
}

/** Aligned, as the formatter wants it. */
function renderTable(counts: readonly SectionCount[]): string[] {
  const total = (of: Exclude<keyof SectionCount, "title">): number => counts.reduce((sum, count) => sum + count[of], 0);
  const all: SectionCount = {
    title: "all",
    idCount: total("idCount"),
    citedCount: total("citedCount"),
    shownCount: total("shownCount"),
    openCount: total("openCount"),
    laterCount: total("laterCount"),
  };
  const head = [
    "section",
    "ids",
    "cited by a test",
    "by one of the running system",
    "open",
    "of these, may come later",
  ];
  const body = [...counts, all].map(({ title, idCount, citedCount, shownCount, openCount, laterCount }) =>
    [title, idCount, citedCount, shownCount, openCount, laterCount].map(String),
  );
  const widths = head.map((_, at) => Math.max(...[head, ...body].map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const pad = (row: readonly string[]): string[] =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
  const rule = widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const padHead = head.map((cell, at) => cell.padEnd(widths[at] ?? 0));
  return [line(padHead), line(rule), ...body.map((row) => line(pad(row)))];
}

function renderId(entry: CitableId, isIdOpen: boolean, tests: readonly string[]): string[] {
  const words = [...(isIdOpen ? ["open"] : []), ...(isIdOpen && entry.isLater ? ["later"] : [])];
  const head = `- **${entry.id}** ${excerpt(entry.text)}${words.length === 0 ? "" : ` (${words.join(", ")})`}`;
  return [head, ...tests.map((test) => `  - ${test}`)];
}

function groupByTest(citations: readonly Citation[]): Map<string, string[]> {
  const tests = new Map<string, Set<string>>();
  for (const { file, ids, name, isRunning } of citations) {
    const line = `${isRunning ? "runs" : "part"} \`${file}\`: ${name.replaceAll(/\s+/g, " ")}`;
    for (const id of ids) tests.set(id, (tests.get(id) ?? new Set()).add(line));
  }
  return new Map([...tests].map(([id, lines]) => [id, [...lines].sort(runningFirst)]));
}

/** Tests of the running system before those of parts, then by file and name. */
function runningFirst(a: string, b: string): number {
  const [first, second] = [a, b].map((line) => (line.startsWith("runs") ? 0 : 1));
  if (first !== second) return (first ?? 0) - (second ?? 0);
  return a < b ? -1 : Number(a > b);
}

/** The first words, cut between two words and never inside a code span. */
function excerpt(text: string): string {
  if (text.length <= excerptLength) return text;
  let cut = text.slice(0, text.lastIndexOf(" ", excerptLength));
  if (cut.split("`").length % 2 === 0) cut = cut.slice(0, cut.lastIndexOf("`"));
  return `${cut.replace(/[\s,;:(]+$/, "")} ...`;
}
