// SPDX-License-Identifier: Apache-2.0
import type { TextOutput } from "../output/io.ts";
import { toTerminalText } from "../output/terminal-text.ts";

/**
 * A table that is printed in parts, with bounded memory. The header is printed with the first rows. Columns are as wide
 * as the widest cell so far; lines that are printed already do not change.
 */
export class AlignedLines {
  readonly #output: TextOutput;
  readonly #titles: readonly string[];
  #widths: readonly number[] | undefined;

  constructor(output: TextOutput, titles: readonly string[]) {
    this.#output = output;
    this.#titles = titles;
  }

  print(rows: readonly (readonly string[])[]): void {
    if (rows.length === 0) return;
    const lines = rows.map((row) => row.map(toTerminalText));
    if (this.#widths === undefined) lines.unshift([...this.#titles]);
    const before = this.#widths ?? [];
    const widths = this.#titles.map((_title, column) =>
      lines.reduce((width, line) => Math.max(width, widthOf(line[column] ?? "")), before[column] ?? 0),
    );
    this.#widths = widths;
    this.#output.write(lines.map((line) => `${align(line, widths)}\n`).join(""));
  }
}

function align(line: readonly string[], widths: readonly number[]): string {
  return line
    .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)))
    .join("   ")
    .trimEnd();
}

/** Number of code points; wide East Asian characters count as one. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
