// SPDX-License-Identifier: Apache-2.0
// The files that the rules of this folder judge, each taken apart once. A rule sees only this, so its own test can hand
// it a sample of two lines.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/project.ts";
import { listFiles } from "../../scripts/read-requirements.ts";
import { type ScannedSource, scanSource } from "../../scripts/scan-source.ts";
import { findImports, type Import } from "./imports.ts";

/** One TypeScript file. */
export interface SourceFile extends ScannedSource {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** What a rule found. `path` and `rule` together are what an allowance names. */
export interface Violation {
  readonly rule: string;
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** A file from its text; imports are resolved against `path`. */
export function toSourceFile(path: string, text: string): SourceFile {
  const scanned = scanSource(text);
  return { path, text, ...scanned, imports: findImports(path, scanned) };
}

/** Every TypeScript file of the repository that people write or generate; not what was installed or built. */
export function readSourceTree(): SourceFile[] {
  const paths = listFiles(["src/**/*.ts", "test/**/*.ts", "scripts/**/*.ts", "bench/**/*.ts"]);
  return paths.map((path) => toSourceFile(path, readFileSync(join(root, path), "utf8")));
}

/** Code that only tests run: never shipped, free to touch the machine, not free to sleep. */
export function isTestCode(path: string): boolean {
  return path.startsWith("test/") || path.endsWith(".test.ts") || path.includes("/testing/");
}

/** Generated code: part of the import graph, free of the rules about how people write. */
export function isGenerated(path: string): boolean {
  return path.startsWith("src/gen/");
}

/** The folder under src/ that a file belongs to; undefined for files elsewhere. */
export function folderOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

/** The line of an index, counted from 1. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** What a rule about the text of a file looks for. */
export interface Search {
  readonly rule: string;
  readonly message: string;
  /** Global patterns over the code; literals and comments do not count. */
  readonly patterns: readonly RegExp[];
  /** True for an import that the rule forbids too; imports of types are never asked about. */
  readonly isForbidden?: (use: Import) => boolean;
}

/** One violation for each place that the search meets. */
export function searchFile(file: SourceFile, { rule, message, patterns, isForbidden }: Search): Violation[] {
  const inCode = patterns.flatMap((pattern) => [...file.code.matchAll(pattern)]);
  const places = inCode.map((match) => ({ at: match.index, what: match[0].replaceAll(/\s+/g, " ").trim() }));
  for (const use of file.imports) {
    if (use.kind !== "type" && isForbidden?.(use)) places.push({ at: use.at, what: use.specifier });
  }
  return places.map(({ at, what }) => ({
    rule,
    path: file.path,
    line: lineAt(file.text, at),
    message: `${message} (${what})`,
  }));
}

/** How a violation is shown: clickable in a terminal. */
export function formatViolation({ path, line, rule, message }: Violation): string {
  return `${path}:${line} [${rule}] ${message}`;
}
