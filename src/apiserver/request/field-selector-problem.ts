// SPDX-License-Identifier: Apache-2.0
/** kube-apiserver's message for an invalid field selector. src/model decides whether one is valid. */
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

/** Splits at commas, except escaped ones. */
function splitTerms(text: string): string[] {
  return text.match(/(?:[^\\,]|\\.|\\$)+/gs) ?? [];
}

function valueProblem(value: string): string | undefined {
  for (const [part] of value.matchAll(/\\.|\\$|[,=]/gs)) {
    // kube-apiserver prints the character's code.
    if (part === "," || part === "=")
      return `invalid field selector: unescaped character in value: ${part.charCodeAt(0)}`;
    if (!known.has(part)) return `invalid field selector: invalid escape sequence: ${part}`;
  }
  return undefined;
}

/** The valid escape sequences. */
const known: ReadonlySet<string> = new Set(["\\\\", "\\,", "\\="]);
