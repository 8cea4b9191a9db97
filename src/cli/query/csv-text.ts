// SPDX-License-Identifier: Apache-2.0
import { toTerminalText } from "../output/terminal-text.ts";

/** Characters with which spreadsheets begin a formula. */
const formulaStart = /^[=+\-@]/;

const needsQuotes = /[",]|^\s|\s$/;

/**
 * One line of CSV (RFC 4180) with a newline. Control characters are shown as their codes, so a record is one line. A
 * text that begins like a formula gets a `'` before it, which spreadsheets show as text and do not compute (CL37).
 */
export function toCsvLine(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => (typeof cell === "number" ? String(cell) : toCell(cell))).join(",")}\n`;
}

function toCell(text: string): string {
  const shown = toTerminalText(text);
  const guarded = formulaStart.test(shown.trimStart()) ? `'${shown}` : shown;
  return needsQuotes.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
