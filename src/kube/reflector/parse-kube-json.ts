// SPDX-License-Identifier: Apache-2.0
// Parsing of JSON from a server. Its structure is never assumed: every field is checked.
import { fieldOf as fieldIn, textOf as textIn } from "../../kinds/fields.ts";
import { KubeError } from "../kube-error.ts";
import { joinBytes } from "./split-lines.ts";

const decoder = new TextDecoder();

export { fieldOf, isObject as isJsonObject } from "../../kinds/fields.ts";

/** The text under a path of keys; "" if it is missing. For fields that an answer of an API server always has. */
export function textOf(value: unknown, ...path: readonly string[]): string {
  return textIn(value, ...path) ?? "";
}

/**
 * The elements of a list field; the caller may remove them. Empty if it is not a list: Go encodes an empty one as null.
 */
export function listOf(value: unknown, name: string): unknown[] {
  const field = fieldIn(value, name);
  return Array.isArray(field) ? field : [];
}

/** Parses bytes as JSON. Throws `malformed` otherwise; `what` names them in the message. */
export function parseJson(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new KubeError("malformed", `${what} is not JSON`, { cause });
  }
}

/** The whole body, or undefined as soon as it exceeds `limitBytes`. The rest is then not read. */
export async function readBody(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of body) {
    byteCount += chunk.length;
    if (byteCount > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return joinBytes(chunks, byteCount);
}
