// SPDX-License-Identifier: Apache-2.0
import { parseExactJson } from "../../../../src/model/exact-json.ts";
import { printYaml } from "./yaml-text.ts";

/** A parsed object; `root` is set if it can be printed as YAML. */
export interface ReadObject {
  /** The API server's answer, unchanged. */
  readonly json: string;
  readonly root: object | undefined;
  /** "" if absent. */
  readonly kind: string;
  /** Number of managedFields entries; like kubectl, they are hidden unless requested. */
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

/** The object as YAML, with or without its managed fields. The original JSON if it cannot be printed as YAML. */
export function printObject({ json, root }: ReadObject, isManagedShown: boolean): string {
  if (root === undefined) return json;
  try {
    return printYaml(isManagedShown ? root : withoutManaged(root));
  } catch (reason) {
    // Nested too deep for YAML or the stack: show the JSON instead.
    if (reason instanceof RangeError) return json;
    throw reason;
  }
}

function withoutManaged(root: object): object {
  const metadata = fieldOf(root, "metadata");
  if (typeof metadata !== "object" || metadata === null || !Object.hasOwn(metadata, "managedFields")) return root;
  const rest = Object.entries(metadata).filter(([name]) => name !== "managedFields");
  // Copied by entries, so that any key stays an ordinary key.
  return { ...root, metadata: Object.fromEntries(rest) };
}

function parseJson(json: string): object | undefined {
  try {
    const value: unknown = parseExactJson(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (reason) {
    // Invalid JSON, or nested too deep to check every number: shown unchanged.
    if (reason instanceof SyntaxError || reason instanceof RangeError) return undefined;
    throw reason;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
