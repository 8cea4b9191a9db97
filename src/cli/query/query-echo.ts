// SPDX-License-Identifier: Apache-2.0
import { FlotillaError, hasCode } from "../../base/error.ts";
import { toTerminalText } from "../output/terminal-text.ts";

/** Characters of the query shown on each side of a mistake: two sides fit a line of a terminal. */
const shownEachSide = 50;

/**
 * Runs a call with a query. If the hub refuses the query, the error also shows the query with a caret under the mistake
 * (CL36).
 */
export async function withQueryEcho<Result>(query: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (reason) {
    throw echoQuery(query, reason);
  }
}

/** The error with the query and a caret under the column that it names; any other reason as it is. */
export function echoQuery(query: string, reason: unknown): unknown {
  if (!hasCode(reason, "INVALID_ARGUMENT")) return reason;
  const { column } = reason.ids;
  const isAboutQuery = reason.message.startsWith("query, column ");
  if (!isAboutQuery || typeof column !== "number" || column < 1 || column > query.length + 1) return reason;
  const lines = [reason.message, ...caretLines(query, column - 1)];
  return new FlotillaError(reason.code, lines.join("\n"), { cause: reason, ids: reason.ids });
}

/** The part of the query around `at`, on one line, and a line with a caret under it. */
function caretLines(query: string, at: number): readonly [string, string] {
  const from = Math.max(0, at - shownEachSide);
  const to = Math.min(query.length, at + shownEachSide);
  const before = `${from > 0 ? "…" : ""}${toTerminalText(query.slice(from, at))}`;
  const after = `${toTerminalText(query.slice(at, to))}${to < query.length ? "…" : ""}`;
  return [`  ${before}${after}`, `  ${" ".repeat(Array.from(before).length)}^`];
}
