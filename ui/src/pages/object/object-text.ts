// SPDX-License-Identifier: Apache-2.0
import { parseExactJson } from "../../../../src/model/exact-json.ts";
import { printYaml } from "./yaml-text.ts";

/** An object that was read, taken apart once: `root` where it is an object that YAML can be printed of. */
export interface ReadObject {
  /** As the cluster's API server answered. */
  readonly json: string;
  readonly root: object | undefined;
  /** "" where it does not say. */
  readonly kind: string;
  /** How many managers say which fields are theirs; kubectl shows none of it unless asked. */
  readonly managerCount: number;
}

export function parseObject(json: string): ReadObject {
  const root = parseJson(json);
  const kind = fieldOf(root, "kind");
  const managers = fieldOf(fieldOf(root, "metadata"), "managedFields");
  return {
    json,
    root,
    kind: typeof kind === "string" ? kind : "",
    managerCount: Array.isArray(managers) ? managers.length : 0,
  };
}

/** The object as YAML, with or without its managed fields. What no YAML can be printed of is shown as it came. */
export function printObject({ json, root }: ReadObject, isManagedShown: boolean): string {
  if (root === undefined) return json;
  try {
    return printYaml(isManagedShown ? root : withoutManaged(root));
  } catch (reason) {
    // Too deep for YAML, or for the stack: still the viewer's to see.
    if (reason instanceof RangeError) return json;
    throw reason;
  }
}

function withoutManaged(root: object): object {
  const metadata = fieldOf(root, "metadata");
  if (typeof metadata !== "object" || metadata === null || !Object.hasOwn(metadata, "managedFields")) return root;
  const rest = Object.entries(metadata).filter(([name]) => name !== "managedFields");
  // A copy by way of entries: a key of the cluster's choice stays a key.
  return { ...root, metadata: Object.fromEntries(rest) };
}

function parseJson(json: string): object | undefined {
  try {
    const value: unknown = parseExactJson(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (reason) {
    // No JSON, or nested too deep to look at every number: both are shown as they came.
    if (reason instanceof SyntaxError || reason instanceof RangeError) return undefined;
    throw reason;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
