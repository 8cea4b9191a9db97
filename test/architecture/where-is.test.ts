// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import { checkWhereIs, readWhereIs } from "./where-is.ts";

function pageOf(...rows: readonly string[]): string {
  const head = ["# Page", "", "## Where is ...", "", "| behaviour | file | search for |", "| --- | --- | --- |"];
  return [...head, ...rows, "", "## Next", "", "| other | `table` |"].join("\n");
}

const files: Readonly<Record<string, string>> = { "src/a.ts": "export function decide(): void {}" };

function check(...rows: readonly string[]): readonly string[] {
  return checkWhereIs(pageOf(...rows), (path) => files[path]).map(({ line, message }) => `${line}: ${message}`);
}

describe('the table "Where is ..."', () => {
  test("has a file and a name in each row; headings of groups and other tables are not rows", () => {
    expect(readWhereIs(pageOf("| **Group** | | |", "| grace period | `src/a.ts` | `decide` |")).rows).toEqual([
      { behaviour: "grace period", path: "src/a.ts", name: "decide", line: 8 },
    ]);
    expect(check("| **Group** | | |", "| grace period | `src/a.ts` | `decide` |")).toEqual([]);
  });

  test("a file that does not exist, a name that its file does not hold, and a malformed row are reported", () => {
    expect(
      check(
        "| grace period | `src/b.ts` | `decide` |",
        "| fencing | `src/a.ts` | `dec` |",
        "| pacing | src/a.ts | `decide` |",
      ),
    ).toEqual([
      '9: not of the form "| behaviour | `file` | `name` |": | pacing | src/a.ts | `decide` |',
      "7: src/b.ts does not exist (grace period)",
      "8: src/a.ts has no dec (fencing)",
    ]);
  });

  test("a page without the table is reported", () => {
    expect(checkWhereIs("# Page\n", () => "").map(({ message }) => message)).toEqual([
      'the table below "## Where is ..." has no rows',
    ]);
  });

  test("of ARCHITECTURE.md names files that exist and hold what to search for", () => {
    const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    const readText = (path: string): string | undefined =>
      existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
    expect(checkWhereIs(text, readText).map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
    expect(readWhereIs(text).rows.length).toBeGreaterThanOrEqual(40);
  });
});
