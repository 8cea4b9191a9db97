// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../kinds/fields.ts";

/** The elements of a list column whose texts are the JSON of one object each (KI7). Other texts are left out. */
export function jsonElements(texts: readonly string[] | undefined): readonly Readonly<Record<string, unknown>>[] {
  return (texts ?? []).flatMap((text) => {
    const element = parseJson(text);
    return isObject(element) ? [element] : [];
  });
}

/** Undefined for a text that is not JSON: an agent decides what it sends, and one bad row must not fail an answer. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
