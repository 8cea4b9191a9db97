// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { type Citation, findCitations } from "../../scripts/citations.ts";
import { parseRequirements, parseSpec } from "../../scripts/requirement-ids.ts";
import { countSections, renderRequirementsPage } from "../../scripts/requirements-page.ts";
import { checkKnownIds, checkSpecRules } from "./cited-ids.ts";

const requirements = parseRequirements({
  path: "docs/requirements.md",
  text: [
    "# Requirements",
    "- **N-99** not under a heading",
    "## N. State",
    "### Overview",
    "- **N-1** Rows are `kept` [L4] — _shown by_: a test",
    "- **N-2** A dashboard (later) — _shown by_: a page",
    "- **N-3** Counted — _shown by_: a test",
    "## Notes",
    "nothing to cite",
  ].join("\n"),
});
const spec = parseSpec({
  path: "docs/spec/store.md",
  text: "# The store\n\n**ST1** First rule,\nover two lines (later: with replicas).\n\nSee **ST9** elsewhere.\n**ST2** Second.\n**ST3** Third.\n",
});
const sections = [...requirements, spec];

/** A file whose tests cite these ids; put together here, since a name written out would be a citation of this file. */
function cited(...ids: string[]): Citation[] {
  return findCitations("src/hub/a.test.ts", ids.map((id) => `test("[${id}] proves it", f);`).join("\n"));
}

describe("reading ids", () => {
  test("requirements are read by heading, without what shows them", () => {
    expect(requirements).toEqual([
      {
        title: "N. State",
        kind: "requirements",
        ids: [
          { id: "N-1", text: "Rows are `kept` [L4]", isLater: false },
          { id: "N-2", text: "A dashboard (later)", isLater: true },
          { id: "N-3", text: "Counted", isLater: false },
        ],
      },
    ]);
  });

  test("a rule begins its line and ends with its paragraph", () => {
    expect(spec.ids).toEqual([
      { id: "ST1", text: "First rule, over two lines (later: with replicas).", isLater: true },
      { id: "ST2", text: "Second.", isLater: false },
      { id: "ST3", text: "Third.", isLater: false },
    ]);
  });
});

describe("reading citations", () => {
  test.each([
    ["one id", 'test("[N-1] keeps", f);', ["N-1"]],
    ["several", 'test("[N-1, ST2] keeps", f);', ["N-1", "ST2"]],
    ["several brackets", 'test("[N-1] [ST2] keeps", f);', ["N-1", "ST2"]],
    ["a table of names", 'test.each([["[ST2] keeps", 1]])("%s", f);', ["ST2"]],
    ["a template", "test(`[ST2] ${engine} keeps`, f);", ["ST2"]],
    ["a suite of its own making", 'contract("[ST2] keeps", f);', ["ST2"]],
    ["a skipped test proves nothing", 'test.skip("[ST2] keeps", f);', []],
    ["an announced test proves nothing", 'test.todo("[ST2] keeps");', []],
    ["a comment proves nothing", '// test("[ST2] keeps", f);', []],
    ["an id in the middle is no citation", 'test("keeps [ST2]", f);', []],
    ["other brackets are none", 'test("[now] keeps", f);', []],
  ])("%s", (_name, text, expected) => {
    expect(findCitations("a.test.ts", text).flatMap(({ ids }) => ids)).toEqual(expected);
  });
});

describe("checking ids", () => {
  test("a cited id that no document has is refused", () => {
    expect(checkKnownIds(sections, cited("N-1", "ST4")).map(({ message }) => message)).toEqual([
      "ST4 is in no document: proves it",
    ]);
  });

  test("an id that stands twice is refused", () => {
    expect(checkKnownIds([...sections, spec], []).map(({ rule }) => rule)).toContain("duplicate-id");
  });

  test("a rule that no test cites is refused, unless it may come later; a requirement may be open", () => {
    const messages = checkSpecRules(sections, cited("ST2")).map(({ message }) => message);
    expect(messages).toEqual(["no test cites ST3: Third."]);
  });

  test("the laws may be open", () => {
    const laws = parseSpec({ path: "docs/spec/laws.md", text: "**L1** One line.\n" });
    expect(checkSpecRules([laws], [])).toEqual([]);
  });
});

describe("the page", () => {
  const citations = [
    ...findCitations("test/z.test.ts", 'test("[N-1] last", f);'),
    ...findCitations("test/e2e/up.test.ts", 'test("[N-1] runs", f);'),
    ...findCitations("src/a.test.ts", 'test("[N-1, N-3] second", f);\ntest("[N-1, ST3] first", f);'),
  ];

  test("lists each id with its tests, those of the running system first, and the open ones", () => {
    const page = renderRequirementsPage(sections, citations);
    expect(page).toContain(
      [
        "- **N-1** Rows are `kept` [L4]",
        "  - runs `test/e2e/up.test.ts`: runs",
        "  - part `src/a.test.ts`: first",
        "  - part `src/a.test.ts`: second",
        "  - part `test/z.test.ts`: last",
        "- **N-2** A dashboard (later) (open, later)",
        "- **N-3** Counted (open)",
        "  - part `src/a.test.ts`: second",
      ].join("\n"),
    );
    expect(page).toContain("- **ST2** Second. (open)\n");
    expect(page).toMatch(/^\| all +\| +6 \| +3 \| +1 \| +4 \| +2 \|$/m);
  });

  test.each([
    ["test/e2e/a.test.ts", "", true],
    ["test/browser/a.test.ts", "", true],
    ["test/kubernetes/a.kubernetes.test.ts", "", true],
    ["test/integration/a.test.ts", 'import { startHub } from "../support/running-hub.ts";', true],
    ["test/integration/a.test.ts", "", false],
    ["test/simulation/a.test.ts", "", false],
    ["src/hub/a.test.ts", "", false],
  ])("a test in %s with %j is of the running system: %s", (file, head, isRunning) => {
    const [found] = findCitations(file, `${head}\ntest("[N-1] keeps", f);`);
    expect(found?.isRunning).toBe(isRunning);
  });

  test("does not depend on the order in which files were found", () => {
    expect(renderRequirementsPage(sections, citations.toReversed())).toBe(renderRequirementsPage(sections, citations));
  });

  test("a long sentence is cut between words, never inside a code span", () => {
    const text = `${"word ".repeat(16)}\`a code span that goes on\` to the end`;
    const long = parseSpec({ path: "docs/spec/x.md", text: `**XX1** ${text}\n` });
    expect(renderRequirementsPage([long], [])).toContain(`- **XX1** ${"word ".repeat(16)}... (open)`);
  });

  test("a requirement that only tests of parts cite is open, a rule is not", () => {
    expect(countSections(sections, citations)).toEqual([
      { title: "N. State", idCount: 3, citedCount: 2, shownCount: 1, openCount: 2, laterCount: 1 },
      {
        title: "The store (docs/spec/store.md)",
        idCount: 3,
        citedCount: 1,
        shownCount: 0,
        openCount: 2,
        laterCount: 1,
      },
    ]);
  });
});
