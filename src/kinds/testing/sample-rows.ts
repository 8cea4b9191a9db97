// SPDX-License-Identifier: Apache-2.0
// Rows of samples, and what can be wrong with them.
import { parseClusterId } from "../../model/cluster-id.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { ColumnSpec, ColumnType, ColumnValue, Row, RowContent } from "../../model/rows/row.ts";
import { RowSealer } from "../../model/rows/row-sealer.ts";
import type { ClusterFacts, Kind, KindColumn } from "../kind.ts";
import { projectRow } from "../project-row.ts";
import { cutColumn } from "../row-size-limits.ts";

const hasher = await createHasher();

/** A cluster of which nothing more is known. */
export const noFacts: ClusterFacts = rootNamespaces();

/** Facts of a cluster whose meshes have these root namespaces. */
export function rootNamespaces(...names: readonly string[]): ClusterFacts {
  return { meshRootNamespaces: new Set(names) };
}

/** The row of an object that was just seen. */
export function rowOf(kind: Kind, object: unknown, facts: ClusterFacts = noFacts): RowContent {
  return projectRow(kind, object, { facts, terminatingForMs: 0 });
}

/** Status and reason of an object that has been seen at its generation for that long. */
export function statusAtAge(kind: Kind, object: unknown, generationForMs: number | undefined): readonly string[] {
  const age = generationForMs === undefined ? {} : { generationForMs };
  const { status, reason } = projectRow(kind, object, { facts: noFacts, terminatingForMs: 0, ...age });
  return [status, reason];
}

/** The row with its hash as the agent makes it, for the cluster with the longest name. */
export function sealed(kind: Pick<Kind, "resource">, row: RowContent): Row {
  return new RowSealer(parseClusterId("c".repeat(63)), kind.resource, hasher).seal(row);
}

/** The row of an object with its hash. */
export function sealedRowOf(kind: Kind, object: unknown): Row {
  return sealed(kind, rowOf(kind, object));
}

/** The columns as a plain object, JSON texts parsed. */
export function columnsOf(kind: { readonly columns: readonly KindColumn[] }, row: RowContent): Record<string, unknown> {
  const jsonNames = new Set(kind.columns.filter((each) => each.isJson === true).map((each) => each.name));
  return Object.fromEntries(
    Array.from(row.columns, ([name, value]) => [name, jsonNames.has(name) ? parsed(value) : value]),
  );
}

function parsed(value: ColumnValue): unknown {
  return typeof value === "object" ? value.map((each): unknown => JSON.parse(each)) : value;
}

/** Every column that rows of a kind may have: its own and `cut`. */
export function rowColumnsOf({ columns }: { readonly columns: readonly KindColumn[] }): readonly ColumnSpec[] {
  return [...columns.map(({ name, type }) => ({ name, type })), { name: cutColumn, type: "stringList" }];
}

/**
 * What is wrong with the columns of a row: undeclared ones, values of another type, empty lists, elements that are not
 * the JSON of an object.
 */
export function faultsOf(kind: { readonly columns: readonly KindColumn[] }, row: RowContent): readonly string[] {
  const specs = new Map(rowColumnsOf(kind).map((spec) => [spec.name, spec]));
  const jsonNames = new Set(kind.columns.filter((each) => each.isJson === true).map((each) => each.name));
  return Array.from(row.columns).flatMap(([name, value]) => {
    const spec = specs.get(name);
    if (spec === undefined) return [`${name} is not declared`];
    if (!isOfType(value, spec.type)) return [`${name} is not of type ${spec.type}`];
    if (!Array.isArray(value)) return [];
    if (value.length === 0) return [`${name} is an empty list`];
    return jsonNames.has(name) && !value.every(isJsonObject) ? [`${name} is not JSON`] : [];
  });
}

function isOfType(value: ColumnValue, type: ColumnType): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "integer":
      return Number.isSafeInteger(value);
    case "float":
      return Number.isFinite(value);
    case "stringList":
      return Array.isArray(value) && value.every((each) => typeof each === "string");
    default:
      return type satisfies never;
  }
}

function isJsonObject(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** All texts of a row, as one. */
export function rowText(row: RowContent): string {
  return JSON.stringify(row, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
}
