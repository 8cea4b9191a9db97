// SPDX-License-Identifier: Apache-2.0
import type { JsonValue } from "@bufbuild/protobuf";
import type { TextOutput } from "./io.ts";

/** `text` for people; the others for programs, which may rely on their fields. */
export type OutputFormat = "text" | "json" | "yaml";

/** Prints one result: the text for people, or the value as a whole document. */
export async function printResult(
  output: TextOutput,
  format: OutputFormat,
  result: { readonly value: JsonValue; readonly text: string },
): Promise<void> {
  switch (format) {
    case "text":
      output.write(result.text);
      return;
    case "json":
      output.write(`${JSON.stringify(result.value, undefined, 2)}\n`);
      return;
    case "yaml":
      output.write(await toYaml(result.value));
  }
}

/** Prints one of a series: JSON on a line of its own, YAML as a document of its own, so that a reader can take each as it comes. */
export async function printOneOfMany(
  output: TextOutput,
  format: OutputFormat,
  result: { readonly value: JsonValue; readonly text: string },
): Promise<void> {
  switch (format) {
    case "text":
      output.write(result.text);
      return;
    case "json":
      output.write(`${JSON.stringify(result.value)}\n`);
      return;
    case "yaml":
      output.write(`---\n${await toYaml(result.value)}`);
  }
}

/** Loaded only where it is wanted: it takes longer than everything else a verb does before its first byte. */
async function toYaml(value: JsonValue): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0 });
}
