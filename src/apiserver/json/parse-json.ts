// SPDX-License-Identifier: Apache-2.0
// Parses request bodies: keeps all digits, bounds the depth and reports repeated keys.
import type { Draft } from "./json.ts";
import { JsonReader } from "./json-reader.ts";
import { type JsonSourceDetails, noSourceDetails } from "./json-source-details.ts";
import { JsonTextError } from "./json-text-error.ts";
import { scanJson } from "./scan-json.ts";
import { unrecognizedBody } from "./unrecognized-body.ts";

/**
 * Maximum depth of lists and objects. kube-apiserver's is 10,000. Values are walked by recursion here, and Node's stack
 * of 984 KiB is exhausted between 2,000 and 3,000 levels of the function with the largest frames (`isEqualJson`).
 */
export const maxJsonDepth = 1_000;

/** The result of parsing a text. */
export interface ParsedText {
  readonly format: "json" | "yaml";
  readonly value: Draft;
  /**
   * kube-apiserver's messages for repeated keys, of which the last value is used. For JSON: `duplicate field "data.a"`,
   * valid for untyped objects only, because `cleanTyped` reports its own. For YAML: `line 3: key "a" already set in
   * map`. Empty unless requested.
   */
  readonly duplicates: readonly string[];
  /** For decoding into a typed object by `cleanTyped`. */
  readonly details: JsonSourceDetails;
}

export interface ParseOptions {
  /** Whether to report repeated keys. */
  readonly findDuplicates: boolean;
}

/**
 * Parses a request body. An integer that a double cannot represent is a bigint up to 64 bits and a double beyond, as in
 * kube-apiserver. Throws an ApiError 400 that names the kind of the path.
 */
export function parseJson(text: string, options: ParseOptions & { readonly kind: string }): ParsedText {
  try {
    return parseJsonText(text, options);
  } catch (reason) {
    if (!(reason instanceof JsonTextError)) throw reason;
    const problem = `couldn't get version/kind; json parse error: ${reason.message}`;
    throw unrecognizedBody(options.kind, problem, text);
  }
}

/** As `parseJson`, but throws a JsonTextError, for texts that are not request bodies. */
export function parseJsonText(text: string, { findDuplicates }: ParseOptions): ParsedText {
  const scan = scanJson(text);
  if (scan.isPlain && scan.depth <= maxJsonDepth) {
    const value = parsePlain(text);
    if (value !== undefined && (!findDuplicates || countKeys(value) === scan.keyCount))
      return { format: "json", value, duplicates: [], details: noSourceDetails };
  }
  const reader = new JsonReader(text, { maxDepth: maxJsonDepth });
  const value = reader.read();
  return { format: "json", value, duplicates: findDuplicates ? reader.duplicates : [], details: reader.details };
}

/** Undefined for invalid JSON: the exact reader then reports the error. */
function parsePlain(text: string): Draft | undefined {
  try {
    return JSON.parse(text) as Draft;
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}

/**
 * The number of keys of all objects in a value. A for-in loop is several times faster than Object.keys or
 * Object.values, and parsed objects inherit no enumerable keys.
 */
function countKeys(value: Draft): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") count += countKeys(item);
    return count;
  }
  for (const key in value) {
    count += 1;
    const item = value[key];
    if (typeof item === "object") count += countKeys(item);
  }
  return count;
}
