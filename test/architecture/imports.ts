// SPDX-License-Identifier: Apache-2.0
import { posix } from "node:path";
import type { ScannedSource } from "../../scripts/scan-source.ts";

/** One way in which a file names another module. */
export interface Import {
  /** As written. */
  readonly specifier: string;
  /** The file it means, from the root of the repository; undefined for a package or a Node module. */
  readonly target: string | undefined;
  /**
   * `static`: runs the module first; `type`: gone after compiling; `dynamic`: `import("...")`, also as a type;
   * `url`: `new URL("./x.ts", import.meta.url)`, the entry of a worker or a file beside the code;
   * `computed`: `import(expression)`, whose module cannot be read off the text.
   */
  readonly kind: "static" | "type" | "dynamic" | "url" | "computed";
  /** Index in the text. */
  readonly at: number;
}

const name = String.raw`[\w$]+`;
const clause = String.raw`(?:\*(?:\s*as\s+${name})?|\{[^}]*\}|${name}(?:\s*,\s*(?:\{[^}]*\}|\*\s*as\s+${name}))?)`;
const word = (text: string): string => String.raw`(?<![\w$.#])${text}`;

const fromPattern = new RegExp(
  String.raw`${word("(?:import|export)")}(?:(\s+type)(?=\s*[*{]|\s+${name}\s+from\b))?\s*${clause}\s*from\s*(?=["'])`,
  "g",
);
const barePattern = new RegExp(String.raw`${word("import")}\s*(?=["'])`, "g");
const dynamicPattern = new RegExp(String.raw`${word("import")}\s*\(\s*`, "g");
const urlPattern = /\bnew\s+URL\s*\(\s*(?=["'`])/g;

/**
 * Every import of a file, in the order of the text within each kind. Works on scanned code, so a commented import is
 * none.
 */
export function findImports(path: string, { code, literals }: ScannedSource): Import[] {
  const literalAt = new Map(literals.map((literal) => [literal.start, literal]));
  const found: Import[] = [];
  const add = (kind: Import["kind"], match: RegExpMatchArray): void => {
    const at = match.index ?? 0;
    const literal = literalAt.get(at + match[0].length);
    if (literal === undefined) {
      if (kind === "dynamic") found.push({ specifier: "", target: undefined, kind: "computed", at });
      return;
    }
    if (kind === "url" && !/^\s*,\s*import\.meta\.url\b/.test(code.slice(literal.end))) return;
    const specifier = literal.text;
    const isComputed = specifier.includes("${");
    found.push({ specifier, target: resolveImport(path, specifier), kind: isComputed ? "computed" : kind, at });
  };
  for (const match of code.matchAll(fromPattern)) add(match[1] === undefined ? "static" : "type", match);
  for (const match of code.matchAll(barePattern)) add("static", match);
  for (const match of code.matchAll(dynamicPattern)) add("dynamic", match);
  for (const match of code.matchAll(urlPattern)) add("url", match);
  return found;
}

function resolveImport(path: string, specifier: string): string | undefined {
  return /^\.{1,2}\//.test(specifier) ? posix.join(posix.dirname(path), specifier) : undefined;
}

/** `@scope/name/sub` -> `@scope/name`. Only for specifiers of packages. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
