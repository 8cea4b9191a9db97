// SPDX-License-Identifier: Apache-2.0
// Which tables of a cluster a predicate treats alike: their rows are filtered together.
import type { Predicate } from "../language/query-predicate.ts";

/** Tables whose rows one filter decides, by number, ascending. */
export interface TableGroup {
  readonly filter: Predicate;
  readonly tables: readonly number[];
}

/** Tables that can have matching rows. Those of `single` are read one by one. */
export interface TableGroups {
  readonly groups: readonly TableGroup[];
  readonly single: readonly number[];
}

const everything: Predicate = { kind: "all" };
const nothing: Predicate = { kind: "not", of: everything };

/** Groups tables by what is left of the predicate for each of them. `columns` are the names of their own columns. */
export function groupTables(
  predicate: Predicate,
  resources: readonly string[],
  columns: readonly ReadonlySet<string>[],
): TableGroups {
  const leaves = new Map<Predicate, number>();
  const byKey = new Map<string, { readonly filter: Predicate; readonly tables: number[] }>();
  for (const [at, resource] of resources.entries()) {
    const filter = simplify(predicate, resource, columns[at] ?? new Set());
    if (filter === nothing) continue;
    const key = keyOf(filter, leaves);
    const group = byKey.get(key) ?? { filter, tables: [] };
    group.tables.push(at);
    byKey.set(key, group);
  }
  const all = [...byKey.values()];
  const isTogether = ({ filter, tables }: TableGroup): boolean => tables.length > 1 && isShared(filter);
  return {
    groups: all.filter(isTogether),
    single: all
      .filter((group) => !isTogether(group))
      .flatMap(({ tables }) => tables)
      .sort((a, b) => a - b),
  };
}

/** What is left of a predicate for the rows of a table. */
function simplify(predicate: Predicate, resource: string, columns: ReadonlySet<string>): Predicate {
  switch (predicate.kind) {
    case "resources":
      return predicate.resources.includes(resource) ? everything : nothing;
    case "column":
      return columns.has(predicate.column) ? predicate : nothing;
    case "image":
      return imageColumns.some((name) => columns.has(name)) ? predicate : nothing;
    case "not": {
      const of = simplify(predicate.of, resource, columns);
      if (of === everything || of === nothing) return of === everything ? nothing : everything;
      return { kind: "not", of };
    }
    case "and":
      return join("and", predicate.parts, (part) => simplify(part, resource, columns));
    case "or":
      return join("or", predicate.parts, (part) => simplify(part, resource, columns));
    case "all":
      return everything;
    default:
      return predicate;
  }
}

function join(
  kind: "and" | "or",
  parts: readonly Predicate[],
  simplifyPart: (part: Predicate) => Predicate,
): Predicate {
  const [decisive, other] = kind === "or" ? [everything, nothing] : [nothing, everything];
  const left: Predicate[] = [];
  for (const part of parts) {
    const simple = simplifyPart(part);
    if (simple === decisive) return decisive;
    if (simple !== other) left.push(simple);
  }
  const [first] = left;
  if (first === undefined) return other;
  return left.length === 1 ? first : { kind, parts: left };
}

/** Columns that `image` looks at. */
const imageColumns = ["images", "containers", "initContainers"];

/** Equal for predicates of the same leaves in the same places. */
function keyOf(predicate: Predicate, leaves: Map<Predicate, number>): string {
  switch (predicate.kind) {
    case "and":
    case "or":
      return `${predicate.kind}(${predicate.parts.map((part) => keyOf(part, leaves)).join()})`;
    case "not":
      return `not(${keyOf(predicate.of, leaves)})`;
    default: {
      const number = leaves.get(predicate) ?? leaves.size;
      leaves.set(predicate, number);
      return `${number}`;
    }
  }
}

/** Whether the predicate reads only columns that are worth joining: few bytes, and read by many queries. */
function isShared(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case "and":
    case "or":
      return predicate.parts.every(isShared);
    case "not":
      return isShared(predicate.of);
    case "field":
      return sharedFields.has(predicate.field);
    case "all":
    case "status":
    case "label":
    case "age":
    case "created":
      return true;
    default:
      return false;
  }
}

const sharedFields: ReadonlySet<string> = new Set([
  "cluster",
  "region",
  "environment",
  "namespace",
  "name",
  "reason",
  "message",
]);
