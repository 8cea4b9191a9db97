// SPDX-License-Identifier: Apache-2.0
/** What the real server says of a field selector that it cannot read. Whether one can be read is decided in src/model. */
export function fieldSelectorProblem(text: string): string {
  for (const term of splitTerms(text).sort()) {
    if (term === "") continue;
    const match = /^((?:[^\\=!]|\\.|!(?!=))*)(!=|==|=)(.*)$/s.exec(term);
    if (match === null) return `invalid selector: '${text}'; can't understand '${term}'`;
    const wrong = valueProblem(match[3] ?? "");
    if (wrong !== undefined) return wrong;
  }
  return `invalid selector: '${text}'; can't understand '${text}'`;
}

/** Parts between commas; one after a backslash belongs to its part. */
function splitTerms(text: string): string[] {
  return text.match(/(?:[^\\,]|\\.|\\$)+/gs) ?? [];
}

function valueProblem(value: string): string | undefined {
  for (const [part] of value.matchAll(/\\.|\\$|[,=]/gs)) {
    // The real server prints the number of the character.
    if (part === "," || part === "=")
      return `invalid field selector: unescaped character in value: ${part.charCodeAt(0)}`;
    if (!known.has(part)) return `invalid field selector: invalid escape sequence: ${part}`;
  }
  return undefined;
}

/** What a backslash may stand before. */
const known: ReadonlySet<string> = new Set(["\\\\", "\\,", "\\="]);
