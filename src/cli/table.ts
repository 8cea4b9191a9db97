// SPDX-License-Identifier: Apache-2.0
import { toTerminalText } from "./terminal-text.ts";

/** Lines with columns aligned, two spaces apart, a newline after each; the last column is not padded. */
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

/** Characters as people count them; wide ones of East Asian scripts count as one. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
