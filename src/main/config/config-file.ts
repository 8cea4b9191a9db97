// SPDX-License-Identifier: Apache-2.0
import { dirname } from "node:path";
import { isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLParseError } from "yaml";
import { suggestion } from "../../base/nearest.ts";
import { type ConfigProblem, quote } from "./config-problem.ts";
import { type GivenValue, isGivenBy, type OptionSpec } from "./option.ts";

/** The settings of a file, and its mistakes. */
export interface ParsedConfigFile {
  readonly given: readonly GivenValue[];
  readonly mistakes: readonly ConfigProblem[];
}

/**
 * Parses a YAML file: one map, each key the name of an option, each value one scalar or a list of them. Reports every
 * mistake with line and column, including keys that no verb knows. Relative paths start from the file's own folder.
 */
export function parseConfigFile(path: string, text: string, table: readonly OptionSpec[]): ParsedConfigFile {
  const lines = new LineCounter();
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const mistakes = document.errors.map(
    (error): ConfigProblem => ({ place: place(error.pos[0]), sentence: `is not YAML as expected: ${reasonOf(error)}` }),
  );
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return { given: [], mistakes };
  if (!isMap(contents)) {
    const sentence = "must be a map of settings, such as `port: 7443`";
    return { given: [], mistakes: [...mistakes, { place: place(contents.range[0]), sentence }] };
  }
  const folder = dirname(path);
  const options = table.filter((spec) => isGivenBy(spec, "file"));
  const given: GivenValue[] = [];
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : "";
    const spec = options.find((option) => option.name === name);
    const keyPlace = place(key.range[0]);
    if (spec === undefined) {
      mistakes.push({ place: keyPlace, sentence: unknownKey(name, options, table) });
      continue;
    }
    const texts = textsOf(value);
    if (texts === undefined) mistakes.push({ place: keyPlace, sentence: `${name} must be a ${shapeOf(spec)}` });
    else given.push({ spec, source: "file", place: place(value?.range[0] ?? key.range[0]), texts, folder });
  }
  return { given, mistakes };
}

/** The parser's message, except where it quotes the text: another file given by mistake may contain secrets (L18). */
function reasonOf({ code, message }: YAMLParseError): string {
  return code === "UNEXPECTED_TOKEN" ? "unexpected text" : message;
}

/** The texts of a scalar or a list of scalars, as written in the file; undefined for every other shape. */
function textsOf(node: ParsedNode | null): readonly string[] | undefined {
  if (isSeq(node)) {
    const texts = node.items.map((element) => scalarText(element));
    return texts.every((text) => text !== undefined) ? texts : undefined;
  }
  const text = scalarText(node);
  return text === undefined ? undefined : [text];
}

/** `source` is the text as written: 0o17, 1e3 and yes are parsed by the option's rules, not by YAML's. */
function scalarText(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null || node.source === undefined) return undefined;
  return node.source;
}

function shapeOf(spec: OptionSpec): string {
  return spec.type === "list" ? "list of values" : "single value";
}

function unknownKey(name: string, options: readonly OptionSpec[], table: readonly OptionSpec[]): string {
  if (table.some((spec) => spec.name === name)) return `${quote(name)} cannot be set in a file; give it as a flag`;
  const names = options.map((option) => option.name);
  return `unknown setting ${quote(name)}${suggestion(name, names, (near) => near)}`;
}
