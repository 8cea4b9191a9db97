// SPDX-License-Identifier: Apache-2.0
import { toTerminalText } from "./terminal-text.ts";

/** Renders aligned columns, two spaces apart, one line per row; the last column is not padded. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((row) => row.map(toTerminalText));
  const widths = header.map((_title, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ""))));
  return lines.map((line) => `${alignLine(line, widths)}\n`).join("");
}

function alignLine(line: readonly string[], widths: readonly number[]): string {
  return line
    .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
    .join("  ")
    .trimEnd();
}

/** Number of code points; wide East Asian characters count as one. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
