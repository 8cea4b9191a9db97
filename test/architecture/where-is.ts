// SPDX-License-Identifier: Apache-2.0
import type { Violation } from "./source-tree.ts";

/** One row of the table "Where is ..." of ARCHITECTURE.md. */
export interface WhereIsRow {
  readonly behaviour: string;
  /** From the root of the repository. */
  readonly path: string;
  /** A name that the file holds, to search for. */
  readonly name: string;
  /** Of the page, counted from 1. */
  readonly line: number;
}

const page = "ARCHITECTURE.md";
const heading = "## Where is ...";
const row = /^\| (.+?) +\| `([\w./-]+)` +\| `(\w+)` +\|$/;
/** The head of the table, the line below it, and rows that only begin a group. */
const otherLine = /^\| (?:behaviour|-+|\*\*.+\*\*) +\|/;

/** The rows of the table; those that cannot be read are violations. */
export function readWhereIs(text: string): { readonly rows: readonly WhereIsRow[]; readonly wrong: Violation[] } {
  const rows: WhereIsRow[] = [];
  const wrong: Violation[] = [];
  let isInside = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("## ")) isInside = line === heading;
    if (!isInside || !line.startsWith("|") || otherLine.test(line)) continue;
    const [, behaviour, path, name] = row.exec(line) ?? [];
    if (behaviour === undefined || path === undefined || name === undefined)
      wrong.push(violation(index + 1, `not of the form "| behaviour | \`file\` | \`name\` |": ${line}`));
    else rows.push({ behaviour, path, name, line: index + 1 });
  }
  return { rows, wrong };
}

/**
 * Rows whose file does not exist or does not hold the name. `readText` returns undefined for a file that does not
 * exist.
 */
export function checkWhereIs(text: string, readText: (path: string) => string | undefined): Violation[] {
  const { rows, wrong } = readWhereIs(text);
  if (rows.length === 0) return [...wrong, violation(1, `the table below "${heading}" has no rows`)];
  return [
    ...wrong,
    ...rows.flatMap(({ behaviour, path, name, line }) => {
      const file = readText(path);
      if (file === undefined) return [violation(line, `${path} does not exist (${behaviour})`)];
      if (!new RegExp(`\\b${name}\\b`).test(file)) return [violation(line, `${path} has no ${name} (${behaviour})`)];
      return [];
    }),
  ];
}

function violation(line: number, message: string): Violation {
  return { rule: "where-is", path: page, line, message };
}
