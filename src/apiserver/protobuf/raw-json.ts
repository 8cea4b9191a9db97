// SPDX-License-Identifier: Apache-2.0
import type { Draft } from "../json/json.ts";
import { MalformedProtobuf } from "./wire-reader.ts";

/** Levels of a raw value. The deepest seen in CustomResourceDefinitions at large is below 30; Node's own stack ends in the thousands. */
const maxDepth = 500;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** JSON text in a message, every digit of an integer kept. */
export function parseRawJson(bytes: Uint8Array): Draft {
  assertShallow(bytes);
  const text = utf8.decode(bytes);
  try {
    // Only an integer of 16 digits or more can lose some in a double, and a reviver makes parsing several times slower.
    return (/\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)) as Draft;
  } catch (reason) {
    if (reason instanceof SyntaxError) throw new MalformedProtobuf("a raw value is not valid JSON", { cause: reason });
    throw reason;
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** Counts brackets outside texts, before anything recursive sees the value. */
function assertShallow(bytes: Uint8Array): void {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInText = false;
    } else if (byte === quote) isInText = true;
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > maxDepth) throw new MalformedProtobuf("exceeded max depth");
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
