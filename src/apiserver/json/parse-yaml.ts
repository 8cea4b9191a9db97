// SPDX-License-Identifier: Apache-2.0
import { noSourceDetails } from "./json-source-details.ts";
import { JsonTextError } from "./json-text-error.ts";
import { maxJsonDepth, type ParsedText, type ParseOptions, parseJsonText } from "./parse-json.ts";
import { unrecognizedBody } from "./unrecognized-body.ts";
import { YamlReader, YamlTextError } from "./yaml-reader.ts";

/**
 * Parses a request body in YAML as kube-apiserver does: version 1.1 with `yes`, `on` and octal numbers, the first
 * document only, the last of repeated keys. Throws an ApiError 400 that names the kind of the path.
 */
export function parseYaml(text: string, options: ParseOptions & { readonly kind: string }): ParsedText {
  try {
    return parseYamlText(text, options);
  } catch (reason) {
    throw reason instanceof YamlTextError ? unrecognizedBody(options.kind, reason.message, text) : reason;
  }
}

/** As `parseYaml`, but throws a YamlTextError, for texts that are not request bodies. */
export function parseYamlText(text: string, { findDuplicates }: ParseOptions): ParsedText {
  const json = asJson(text);
  if (json !== undefined) return json;
  const reader = new YamlReader(text, { maxDepth: maxJsonDepth });
  const value = reader.read();
  return { format: "yaml", value, duplicates: findDuplicates ? reader.duplicates : [], details: noSourceDetails };
}

/** Most YAML bodies of clients are JSON. JSON without repeated keys has the same meaning in both. */
function asJson(text: string): ParsedText | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const parsed = parseJsonText(text, { findDuplicates: true });
    return parsed.duplicates.length === 0 ? { ...parsed, format: "yaml", details: noSourceDetails } : undefined;
  } catch (reason) {
    if (reason instanceof JsonTextError) return undefined;
    throw reason;
  }
}
