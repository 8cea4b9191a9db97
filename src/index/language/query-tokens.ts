// SPDX-License-Identifier: Apache-2.0
// The forms of tokens, which the parser and the completion of queries share. Sticky: `lastIndex` is where they match.

/** Longest query in characters (QL1): fits the request line of common servers. */
export const maxQueryLength = 4_096;

/** A run of characters that no mark ends: a field name, or a word of free text. */
export const wordForm = /[^\s()"'<>=!~:,\\]+/y;

/** A value without quotes: `:` and `=` are part of it, as in image names. `\` takes the next character with it. */
export const valueForm = /(?:\\.|[^\s()"',\\])+/sy;

export const operatorForm = /\s*(!=|<=|>=|!~|[:=<>~])/y;

export const blankForm = /\s*/y;

/** The beginning of a list of values: `in(`. */
export const listForm = /in\(/iy;

/** The match of a form at a place; undefined if there is none. */
export function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | undefined {
  form.lastIndex = at;
  return form.exec(text) ?? undefined;
}

/** The place of the quote that closes the one at `at`; undefined if there is none. `\` takes the next character along. */
export function findClosingQuote(text: string, at: number): number | undefined {
  const mark = text[at];
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === mark) return end;
  }
  return undefined;
}
