// SPDX-License-Identifier: Apache-2.0
// Prints JSON values as YAML. The package `yaml` does far more, and blocks the page's thread for half a second per
// megabyte.

/** Deeper than any real object of an API server; each level costs two columns of every line below it. */
const maxDepth = 100;

/** A longer key needs the form with a question mark (YAML 1.2.2, 8.2.2: 1,024 characters). */
const maxKeyLength = 1_000;

/** Invisible or direction-changing characters; always escaped, so that a text shows what it contains. */
const hiddenCharacter = /[\p{C}\p{Zl}\p{Zp}\u00a0]/u;
const hiddenCharacters = new RegExp(hiddenCharacter, "gu");

/** Text that reads the same in YAML 1.1 and 1.2 without quotes: a word, a path, a quantity or a UID. */
const plainText = /^(?:[\p{L}_/].*|\d+(?:m|[KMGTP]i|%)|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/u;
const notPlain = /: |:$| #|\s$|\t/;
const word = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/**
 * Prints a JSON value as YAML in kubectl's form: sorted keys, lists at the indent of their key, multi-line texts as
 * blocks. Ends with a newline. Throws a RangeError for values nested too deep.
 */
export function printYaml(value: unknown): string {
  const lines: string[] = [];
  printNode(lines, value, { indent: 0, depth: 0, start: "" });
  return `${lines.join("\n")}\n`;
}

interface Place {
  /** Indent of the value's further lines. */
  readonly indent: number;
  readonly depth: number;
  /** Text already on its first line. */
  readonly start: string;
}

function printNode(lines: string[], value: unknown, { indent, depth, start }: Place): void {
  if (depth > maxDepth) throw new RangeError(`the value is nested more than ${maxDepth} levels deep`);
  if (typeof value === "string" && isBlock(value)) {
    printBlock(lines, value, { indent, start });
  } else if (typeof value !== "object" || value === null) {
    lines.push(start + printScalar(value));
  } else if (Array.isArray(value)) {
    if (value.length === 0) lines.push(`${start}[]`);
    else printItems(lines, value, { indent, depth, start });
  } else {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    if (fields.length === 0) lines.push(`${start}{}`);
    else printFields(lines, fields, { indent, depth, start });
  }
}

function printItems(lines: string[], items: readonly unknown[], { indent, depth, start }: Place): void {
  const pad = " ".repeat(indent);
  for (const [index, item] of items.entries()) {
    printNode(lines, item, { indent: indent + 2, depth: depth + 1, start: `${index === 0 ? start : pad}- ` });
  }
}

function printFields(
  lines: string[],
  fields: readonly (readonly [string, unknown])[],
  { indent, depth, start }: Place,
): void {
  const pad = " ".repeat(indent);
  for (const [index, [name, value]] of fields.entries()) {
    const key = printText(name);
    const begin = index === 0 ? start : pad;
    if (key.length > maxKeyLength) lines.push(`${begin}? ${key}`);
    const head = key.length > maxKeyLength ? `${pad}:` : `${begin}${key}:`;
    const isNested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
    if (!isNested) {
      printNode(lines, value, { indent: indent + 2, depth: depth + 1, start: `${head} ` });
      continue;
    }
    lines.push(head);
    const inner = Array.isArray(value) ? indent : indent + 2;
    printNode(lines, value, { indent: inner, depth: depth + 1, start: " ".repeat(inner) });
  }
}

/** A multi-line text without hidden characters, whose first line determines the indent. */
function isBlock(text: string): boolean {
  return text.includes("\n") && !/^\s/.test(text) && !hiddenCharacter.test(text.replaceAll(/[\n\t]/g, ""));
}

/** Prints each line at the indent; the sign after `|` states how many trailing newlines belong to the text. */
function printBlock(lines: string[], text: string, { indent, start }: Pick<Place, "indent" | "start">): void {
  const sign = text.endsWith("\n\n") ? "+" : text.endsWith("\n") ? "" : "-";
  lines.push(`${start}|${sign}`);
  const pad = " ".repeat(Math.max(indent, 2));
  const own = text.endsWith("\n") ? text.slice(0, -1) : text;
  for (const line of own.split("\n")) lines.push(line === "" ? "" : pad + line);
}

function printScalar(value: unknown): string {
  return typeof value === "string" ? printText(value) : String(value);
}

function printText(text: string): string {
  const isPlain = plainText.test(text) && !notPlain.test(text) && !word.test(text) && !hiddenCharacter.test(text);
  return isPlain ? text : JSON.stringify(text).replaceAll(hiddenCharacters, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16);
  return digits.length <= 4 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
