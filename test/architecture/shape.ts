// SPDX-License-Identifier: Apache-2.0
// How a file looks from outside, and the few habits that a search can find.
import { isGenerated, type SourceFile, searchFile, type Violation } from "./source-tree.ts";

/** House style stops at 300 lines; beyond this a file holds two ideas, whatever the reason. */
const lineLimit = 400;

const written = (files: readonly SourceFile[]): SourceFile[] => files.filter(({ path }) => !isGenerated(path));

function whole(file: SourceFile, rule: string, message: string): Violation {
  return { rule, path: file.path, line: 1, message };
}

/** The licence line is the first, or follows the line that names the interpreter. */
export function checkLicenceLine(files: readonly SourceFile[]): Violation[] {
  return written(files)
    .filter(({ text }) => !/^(?:#![^\n]*\n)?\/\/ SPDX-License-Identifier: Apache-2\.0\n/.test(text))
    .map((file) => whole(file, "licence", "the first line is not `// SPDX-License-Identifier: Apache-2.0`"));
}

/** A file holds one idea. */
export function checkLength(files: readonly SourceFile[]): Violation[] {
  return written(files).flatMap((file) => {
    const lineCount = file.text.split("\n").length - 1;
    return lineCount > lineLimit ? [whole(file, "length", `${lineCount} lines; the limit is ${lineLimit}`)] : [];
  });
}

/** Words that say nothing of what a file is about, as a part of a name between dashes. */
const bannedParts = new Set("manager helper helpers util utils common misc info impl v2".split(" "));
/** Words that are banned only when they are the whole name: they lack an object, or stand for anything. */
const bannedNames = new Set("data handle process do".split(" "));

/** Names are kebab-case, and say what is inside. Folders count as well as files. */
export function checkNames(files: readonly SourceFile[]): Violation[] {
  return written(files).flatMap((file) => {
    const parts = file.path.split("/");
    const found: Violation[] = [];
    for (const part of parts) {
      const name = part.split(".")[0] ?? "";
      if (!/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*$/.test(part)) {
        found.push(whole(file, "kebab-case", `${part} is not kebab-case`));
      }
      const banned =
        name.split("-").find((word) => bannedParts.has(word)) ?? (bannedNames.has(name) ? name : undefined);
      if (banned !== undefined) found.push(whole(file, "banned-name", `"${banned}" says nothing about ${part}`));
    }
    return found;
  });
}

/** A discarded error hides the next fault: an empty block, or a callback that gives nothing and says nothing. */
export function checkEmptyCatch(files: readonly SourceFile[]): Violation[] {
  const patterns = [
    /\bcatch\s*(?:\([^)]*\)\s*)?\{\s*\}/g,
    /\.\s*catch\s*\(\s*(?:async\s*)?\([^)]*\)\s*=>\s*\{\s*\}\s*\)/g,
  ];
  return search(files, "empty-catch", patterns, "an error is dropped without a word");
}

/** A default export has no name of its own. */
export function checkDefaultExport(files: readonly SourceFile[]): Violation[] {
  const patterns = [/\bexport\s+default\b/g, /\bexport\s*\{[^}]*\bas\s+default\b[^}]*\}/g];
  return search(files, "default-export", patterns, "exports are named");
}

/** `any` switches the compiler off; `unknown` asks for a parse. */
export function checkAny(files: readonly SourceFile[]): Violation[] {
  const pattern = /(?:[:<|&,([=]|=>|\b(?:as|extends|is|keyof|satisfies))\s*any\b(?!\s*[:?.(=])/g;
  return search(files, "any", [pattern], "`unknown` and a parse instead of `any`");
}

function search(files: readonly SourceFile[], rule: string, patterns: readonly RegExp[], message: string): Violation[] {
  return written(files).flatMap((file) => searchFile(file, { rule, message, patterns }));
}
