// SPDX-License-Identifier: Apache-2.0
// The stored form of an object: JSON text without apiVersion, kind and resourceVersion, which depend on the served
// version and the revision. `metadata` comes first, so that all three are added by joining bytes, without parsing.
import { type DraftObject, isObject, type JsonObject } from "../json/json.ts";
import { mayMisreadKey } from "../json/misread-key.ts";
import { parseJsonText } from "../json/parse-json.ts";
import { stringifyJson } from "../json/stringify-json.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The start of every stored body. `metadata` is never empty, because an object has a name. */
const head = '{"metadata":{';

/** Encodes an object for the store. The object must have a name. */
export function encodeBody(object: JsonObject): Uint8Array {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  const { resourceVersion: _resourceVersion, ...meta } = isObject(metadata) ? metadata : {};
  // Joined as text: in one object, integer-like keys such as "1" would be ordered before metadata.
  const restText = stringifyJson(rest);
  const tail = restText === "{}" ? "}" : `,${restText.slice(1)}`;
  return encoder.encode(`{"metadata":${stringifyJson(meta)}${tail}`);
}

/** Decodes a stored object and sets its resourceVersion. */
export function decodeBody(body: Uint8Array, revision: number): DraftObject {
  const object = parseStored(decoder.decode(body));
  const { metadata } = object;
  if (isObject(metadata)) metadata["resourceVersion"] = String(revision);
  return object;
}

/** The JSON text of the object as clients receive it. `prefix` comes from `renderPrefix`. */
export function renderBody(body: Uint8Array, prefix: Uint8Array, revision: number): Uint8Array {
  const version = encoder.encode(`"resourceVersion":"${revision}",`);
  const rendered = new Uint8Array(prefix.length + version.length + body.length - head.length);
  rendered.set(prefix);
  rendered.set(version, prefix.length);
  rendered.set(body.subarray(head.length), prefix.length + version.length);
  return rendered;
}

/** The start of the JSON text, up to the metadata's fields, for objects of one kind. See `renderBody`. */
export function renderPrefix(apiVersion: string, kind: string): Uint8Array {
  return encoder.encode(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{`);
}

/** Reads `metadata.labels` without parsing the rest; undefined without labels. */
export function readLabels(body: Uint8Array): JsonObject | undefined {
  const text = decoder.decode(body);
  for (let key = head.length; text[key] === '"'; ) {
    const value = stringEnd(text, key) + 2;
    const end = valueEnd(text, value);
    if (text.startsWith('"labels":{', key)) return parseStored(text.slice(value, end));
    if (text[end] !== ",") return undefined;
    key = end + 1;
  }
  return undefined;
}

/** The index after the value that starts at `from`. */
function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from) + 1;
  let end = from;
  for (let depth = 0; end < text.length; end += 1) {
    const char = text[end];
    if (char === '"') end = stringEnd(text, end);
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    if (depth < 0 || (depth === 0 && char === ",")) return end;
    if (depth === 0 && (char === "}" || char === "]")) return end + 1;
  }
  return end;
}

/** The index of the closing quote of the string that starts at `from`. */
function stringEnd(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  // An even number of backslashes escape each other and leave the quote alone.
  while (end > 0 && backslashesBefore(text, end) % 2 === 1) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function backslashesBefore(text: string, at: number): number {
  let first = at;
  while (text[first - 1] === "\\") first -= 1;
  return at - first;
}

/**
 * Finds numbers that may exceed a double's precision. Stored text has no spaces, so one of these characters precedes
 * each number. Only text with a match is parsed with a reviver. The leading character lets the search skip digits
 * inside strings quickly.
 */
const longDigits = /[:,[-][0-9]{16}/;

function parseStored(text: string): DraftObject {
  if (mayMisreadKey(text)) return parseJsonText(text, { findDuplicates: false }).value as DraftObject;
  if (!longDigits.test(text)) return JSON.parse(text) as DraftObject;
  return JSON.parse(text, keepDigits) as DraftObject;
}

const maxInt64 = 2n ** 63n - 1n;

/**
 * A reviver that reads 64-bit integers as bigint, as request bodies are read. Its third argument has the number's text.
 */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  // More than 20 characters exceed 64 bits; no bigint is made for them.
  if (source.length > 20 || !/^-?[0-9]+$/.test(source)) return value;
  const integer = BigInt(source);
  return integer <= maxInt64 && integer >= -maxInt64 - 1n ? integer : value;
}
