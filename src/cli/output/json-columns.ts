// SPDX-License-Identifier: Apache-2.0
import type { JsonValue } from "@bufbuild/protobuf";
import { defaultKinds, derivedKinds } from "../../kinds/all-kinds.ts";
import { genericKindColumns } from "../../kinds/generic-kind.ts";
import type { KindColumn } from "../../kinds/kind.ts";
import { resourceIdText } from "../../model/gvr.ts";

/**
 * Names of the columns of a resource with JSON content (KI7). A resource that this build does not know has the columns
 * of a generic kind (KI14).
 */
export function jsonColumnsOf(resource: string): ReadonlySet<string> {
  return byResource.get(resource) ?? ofAnyKind;
}

/**
 * The elements of such a column as values. An element that is not JSON stays text, because an agent of another version
 * may send other content.
 */
export function parseElements(texts: readonly string[]): JsonValue[] {
  return texts.map(parseElement);
}

function parseElement(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (reason) {
    if (reason instanceof SyntaxError) return text;
    throw reason;
  }
}

const ofAnyKind = jsonNames(genericKindColumns);

const byResource: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...defaultKinds, ...derivedKinds].map(({ resource, columns }) => [resourceIdText(resource), jsonNames(columns)]),
);

function jsonNames(columns: readonly KindColumn[]): ReadonlySet<string> {
  return new Set(columns.filter(({ isJson }) => isJson === true).map(({ name }) => name));
}
