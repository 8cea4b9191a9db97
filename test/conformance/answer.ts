// SPDX-License-Identifier: Apache-2.0
import { parse as parseYaml } from "yaml";
import { stringifyJson } from "../../src/apiserver/json/stringify-json.ts";
import { isProtobufBody } from "../../src/apiserver/protobuf/decode-protobuf.ts";
import { protobufType } from "../../src/apiserver/request/accept.ts";
import { readAnswer } from "../support/watch-frames.ts";

/** What a server answered to one step. */
export interface Answer {
  readonly status: number;
  /** Those of `comparedHeaders` that the answer has. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * JSON, YAML or protobuf parsed, other text as it is, the events of a watch as a list, undefined where the body is
   * empty.
   */
  readonly body?: unknown;
}

/**
 * Headers that clients read. Left out are dates, lengths and audit ids, which differ from answer to answer, and those of
 * flow control.
 */
export const comparedHeaders: ReadonlySet<string> = new Set([
  "allow",
  "cache-control",
  "content-encoding",
  "content-type",
  "etag",
  "location",
  "retry-after",
  "vary",
  "warning",
  "www-authenticate",
]);

/** JSON with the digits of integers that a double cannot hold: those become texts like `int 9007199254740993`. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    const isLossy = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isLossy ? `int ${context?.source ?? value}` : value;
  });
}

/**
 * The body by its media type; protobuf becomes the JSON of the same object. A body that says it is JSON and is none
 * stays text, so the difference shows.
 */
export function parseBody(bytes: Buffer, contentType: string): unknown {
  if (contentType === protobufType && isProtobufBody(bytes)) return parseJson(stringifyJson(readAnswer(bytes)));
  const text = bytes.toString();
  if (text === "") return undefined;
  try {
    // The index of OpenAPI is JSON that calls itself plain text.
    if (contentType.includes("json") || text.startsWith("{")) return parseJson(text);
    if (contentType.includes("yaml")) return parseYaml(text);
  } catch (reason) {
    if (!(reason instanceof Error)) throw reason;
    return text;
  }
  return text;
}
