// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, type JsonObject } from "../json/json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import type { Resource } from "../resources/resource.ts";
import type { CachedObject } from "./cached-object.ts";
import { decodeBody, renderBody, renderPrefix } from "./stored-body.ts";

const encoder = new TextEncoder();

/** `apps/v1`; `v1` in the core group. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

const prefixes = new WeakMap<Resource, { readonly whole: Uint8Array; readonly item: Uint8Array }>();
const itemPrefix = encoder.encode('{"metadata":{');

function prefixesOf(resource: Resource): { readonly whole: Uint8Array; readonly item: Uint8Array } {
  let found = prefixes.get(resource);
  if (found === undefined) {
    const whole = renderPrefix(apiVersionOf(resource.facts), resource.facts.kind);
    found = { whole, item: resource.isCustom ? whole : itemPrefix };
    prefixes.set(resource, found);
  }
  return found;
}

/** The object's JSON at the served version. A deletion event passes the deletion's revision instead of the object's. */
export function renderObject(resource: Resource, cached: CachedObject, revision: number = cached.revision): Uint8Array {
  if (resource.fromStorage === undefined) return renderBody(cached.body, prefixesOf(resource).whole, revision);
  return encoder.encode(stringifyJson(toServed(resource, decodeBody(cached.body, revision))));
}

/** The object's JSON as an item of a list. Items of built-in kinds have no apiVersion and kind: the list has them. */
export function renderItem(resource: Resource, cached: CachedObject): Uint8Array {
  if (resource.fromStorage === undefined) return renderBody(cached.body, prefixesOf(resource).item, cached.revision);
  const { kind, apiVersion, ...rest } = toServed(resource, decodeBody(cached.body, cached.revision));
  return encoder.encode(stringifyJson(resource.isCustom ? ({ kind, apiVersion, ...rest } as JsonObject) : rest));
}

/**
 * Converts a stored object to the served version, with apiVersion and kind first. Without a conversion the result
 * shares its parts with the stored object.
 */
export function toServed(resource: Resource, stored: JsonObject): JsonObject {
  const { facts, fromStorage } = resource;
  const head = { kind: facts.kind, apiVersion: apiVersionOf(facts) };
  if (fromStorage === undefined) return { ...head, ...stored };
  const served: DraftObject = { ...head, ...copyJson(stored) };
  fromStorage(served);
  return served;
}
