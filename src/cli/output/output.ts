// SPDX-License-Identifier: Apache-2.0
import type { JsonValue } from "@bufbuild/protobuf";
import type { TextOutput } from "./io.ts";
import { escapeInLines, isUnsafeInLines } from "./terminal-text.ts";

/** `text` is for people; `json` and `yaml` are for programs, which may rely on their fields. */
export type OutputFormat = "text" | "json" | "yaml";

/** A result in both forms. */
export interface Printed {
  readonly value: JsonValue;
  readonly text: string;
}

/** Prints one result: the text for people, or the value as a whole document. */
export function printResult(output: TextOutput, format: OutputFormat, printed: Printed): Promise<void> {
  return print(output, format, printed, { json: (value) => toJsonText(value, 2), yamlMark: "" });
}

/**
 * Prints one element of a series: JSON as one line, YAML as one document, so that a reader can parse each when it
 * arrives.
 */
export function printOneOfMany(output: TextOutput, format: OutputFormat, printed: Printed): Promise<void> {
  return print(output, format, printed, { json: (value) => toJsonText(value), yamlMark: "---\n" });
}

async function print(
  output: TextOutput,
  format: OutputFormat,
  { value, text }: Printed,
  form: { readonly json: (value: JsonValue) => string; readonly yamlMark: string },
): Promise<void> {
  switch (format) {
    case "text":
      output.write(text);
      return;
    case "json":
      output.write(`${form.json(value)}\n`);
      return;
    case "yaml":
      output.write(`${form.yamlMark}${await toYaml(value)}`);
  }
}

/**
 * JSON that is safe for a terminal: control and direction characters that `JSON.stringify` leaves are escaped too. It
 * parses to the same value.
 */
export function toJsonText(value: unknown, indent = 0): string {
  return escapeInLines(JSON.stringify(value, undefined, indent));
}

/**
 * YAML that is safe for a terminal: text with control or direction characters is quoted, and they are escaped. kubectl
 * and others read YAML 1.1, so text that is not a string there, such as `no`, is quoted. The library is loaded on
 * demand, because loading takes longer than everything else before a verb's first output.
 */
export async function toYaml(value: unknown): Promise<string> {
  const { Document, stringify, visit } = await import("yaml");
  const text = stringify(value, yamlOptions);
  if (!isUnsafeInLines(text)) return text;
  const document = new Document(value, yamlOptions);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && isUnsafeInLines(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return escapeInLines(document.toString(yamlOptions));
}

const yamlOptions = { lineWidth: 0, aliasDuplicateObjects: false, compat: "yaml-1.1" } as const;
