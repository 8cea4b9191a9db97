// SPDX-License-Identifier: Apache-2.0
// JSON from a server: parsed at once, looked into with checks, never trusted to have a shape.
import { fieldOf as fieldIn, textOf as textIn } from "../../kinds/fields.ts";
import { KubeError } from "../kube-error.ts";
import { joinBytes } from "./split-lines.ts";

const decoder = new TextDecoder();

export { fieldOf, isObject as isJsonObject } from "../../kinds/fields.ts";

/** The text under a path of keys; "" where there is none: for what an answer of an API server always has. */
export function textOf(value: unknown, ...path: readonly string[]): string {
  return textIn(value, ...path) ?? "";
}

/** The elements of a list field, which the caller may let go of one by one; none where it is no list, as Go writes null for an empty one. */
export function listOf(value: unknown, name: string): unknown[] {
  const field = fieldIn(value, name);
  return Array.isArray(field) ? field : [];
}

/** Parses bytes of `what`. Throws `malformed` for what is not JSON. */
export function parseJson(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new KubeError("malformed", `${what} is not JSON`, { cause });
  }
}

/** The whole body, or undefined as soon as it is longer than `limitBytes`; the rest is then not read. */
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
