// SPDX-License-Identifier: Apache-2.0
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import { checkLessons, findCitedLessons, readLessons } from "./lessons.ts";

const page = "# Lessons\n\n- **a-1** First. `src/a.test.ts`\n- **b-R2** Second. `src/a.test.ts`\n- not a lesson\n";

/** A file whose tests cite these lessons. */
function citing(...ids: readonly string[]): { readonly path: string; readonly text: string } {
  return { path: "src/a.test.ts", text: ids.map((id) => `test("[N-1] [lesson ${id}] proves it", f);`).join("\n") };
}

describe("lessons", () => {
  test("are the items of the page that begin with an id, with the tests that they name", () => {
    expect(readLessons(page)).toEqual([
      { id: "a-1", files: ["src/a.test.ts"] },
      { id: "b-R2", files: ["src/a.test.ts"] },
    ]);
    expect(
      readLessons("- **a-1** Two files,\n  wrapped. `src/a.test.ts`,\n  `src/b.test.ts`\n- **b-R2** None.\n"),
    ).toEqual([
      { id: "a-1", files: ["src/a.test.ts", "src/b.test.ts"] },
      { id: "b-R2", files: [] },
    ]);
  });

  test("are cited by names of tests, not by comments or by tests that are skipped", () => {
    expect(findCitedLessons(citing("a-1").text)).toEqual(["a-1"]);
    expect(findCitedLessons(`// ${citing("a-1").text}`)).toEqual([]);
    expect(findCitedLessons(citing("a-1").text.replace("test(", "test.skip("))).toEqual([]);
  });

  test("without a test, cited and not listed, or listed twice are told", () => {
    const messages = (text: string, ...ids: readonly string[]): readonly string[] =>
      checkLessons(text, [citing(...ids)]).map(({ message }) => message);
    expect(messages(page, "a-1", "b-R2")).toEqual([]);
    expect(messages(page, "a-1", "c-3")).toEqual([
      "no test cites the lesson b-R2 src/a.test.ts",
      "the page does not have the lesson c-3 src/a.test.ts",
    ]);
    expect(messages(`${page}- **a-1** Again. \`src/a.test.ts\`\n`, "a-1", "b-R2")).toEqual(["a-1 stands twice"]);
    expect(messages(`${page}- **d-4** Untested.\n`, "a-1", "b-R2")).toEqual(["d-4 names no test"]);
  });

  test("of docs/lessons.md name the tests that cite them, and every citation is there", () => {
    const files = globSync("{src,test,ui}/**/*.test.{ts,tsx}", { cwd: root, exclude: ["**/node_modules/**"] })
      .sort()
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
    const violations = checkLessons(readFileSync(join(root, "docs/lessons.md"), "utf8"), files);
    expect(violations.map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
  });
});
