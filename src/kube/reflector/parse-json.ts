// SPDX-License-Identifier: Apache-2.0
// JSON from a server: parsed at once, looked into with checks, never trusted to have a shape.
import { KubeError } from "../kube-error.ts";
import { joinBytes } from "./split-lines.ts";

/** A JSON object whose keys others chose; read it by `fieldOf` only. */
export type JsonObject = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder();

/** True for what JSON writes in braces. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The field of that name, if `value` is an object that has one of its own. */
export function fieldOf(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The field of that name as text; "" where it is none. */
export function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  return typeof field === "string" ? field : "";
}

/** The elements of a list field; none where it is no list, as Go writes null for an empty one. */
export function listOf(value: unknown, name: string): unknown[] {
  const field = fieldOf(value, name);
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
