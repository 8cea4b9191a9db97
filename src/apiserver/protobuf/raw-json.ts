// SPDX-License-Identifier: Apache-2.0
import type { Draft } from "../json/json.ts";
import { JsonTextError } from "../json/json-text-error.ts";
import { parseJsonText } from "../json/parse-json.ts";
import { surveyJson } from "../json/survey-json.ts";
import { MalformedProtobuf } from "./wire-reader.ts";

/**
 * Maximum depth of a raw value, without the levels of its message. The deepest in published CustomResourceDefinitions
 * is below 30.
 */
const maxDepth = 500;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Parses JSON text in a message, with the same result as in a JSON body. */
export function parseRawJson(bytes: Uint8Array): Draft {
  const text = utf8.decode(bytes);
  if (surveyJson(text).depth > maxDepth) throw new MalformedProtobuf("exceeded max depth");
  try {
    return parseJsonText(text, { findDuplicates: false }).value;
  } catch (reason) {
    if (reason instanceof JsonTextError) {
      throw new MalformedProtobuf("a raw value is not valid JSON", { cause: reason });
    }
    throw reason;
  }
}
