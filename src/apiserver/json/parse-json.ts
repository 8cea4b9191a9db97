// SPDX-License-Identifier: Apache-2.0
// From the text of a request to a value: nothing lost, nothing deeper than the code behind can walk, nothing twice without a word.
import type { Draft } from "./json.ts";
import { JsonReader } from "./json-reader.ts";
import { type JsonSpelling, plainSpelling } from "./json-spelling.ts";
import { JsonTextError } from "./json-text-error.ts";
import { surveyJson } from "./survey-json.ts";
import { unrecognizedBody } from "./unrecognized-body.ts";

/**
 * How deep lists and objects may nest. The real server stops at 10,000; everything here walks values by recursion, and Node's stack of 984 KiB ends between
 * 2,000 and 3,000 levels of the walker that needs most of it (`isEqualJson`).
 */
export const maxJsonDepth = 1_000;

/** What a text held. */
export interface ParsedText {
  readonly format: "json" | "yaml";
  readonly value: Draft;
  /**
   * What the real server says of repeated keys; the last value won. `duplicate field "data.a"` for JSON, of which this is the answer only for untyped objects:
   * `cleanTyped` has its own. `line 3: key "a" already set in map` for YAML. Empty unless asked for.
   */
  readonly duplicates: readonly string[];
  /** For decoding into a typed object: `cleanTyped`. */
  readonly spelling: JsonSpelling;
}

export interface ParseOptions {
  /** Whether repeated keys matter: field validation is Strict or Warn. */
  readonly findDuplicates: boolean;
}

/**
 * The value of a request body. An integer that a double cannot hold is a bigint up to 64 bits, and a double beyond, as the real server has it. Throws an ApiError
 * 400 that names the kind which the path asks for.
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

/** As `parseJson`, but throws a JsonTextError, for texts that are not the body of a request. */
export function parseJsonText(text: string, { findDuplicates }: ParseOptions): ParsedText {
  const survey = surveyJson(text);
  if (survey.isPlain && survey.depth <= maxJsonDepth) {
    const value = parsePlain(text);
    if (value !== undefined && (!findDuplicates || countKeys(value) === survey.keyCount))
      return { format: "json", value, duplicates: [], spelling: plainSpelling };
  }
  const reader = new JsonReader(text, { maxDepth: maxJsonDepth });
  const value = reader.read();
  return { format: "json", value, duplicates: findDuplicates ? reader.duplicates : [], spelling: reader.spelling };
}

/** Undefined for a text that is not JSON: the exact reader then says why. */
function parsePlain(text: string): Draft | undefined {
  try {
    return JSON.parse(text) as Draft;
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}

/** How many keys all objects of a value have together. A for-in loop is several times faster than any list of keys or values, and parsed objects inherit none. */
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
