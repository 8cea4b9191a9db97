// SPDX-License-Identifier: Apache-2.0
import { parseClusterId } from "../../model/cluster-id.ts";
import { createHasher } from "../../model/hasher.ts";
import type { ColumnType, ColumnValue, Row, RowContent } from "../../model/row.ts";
import { RowSealer } from "../../model/row-sealer.ts";
import { rowColumnsOf } from "../bounds.ts";
import type { Kind } from "../kind.ts";
import { projectRow } from "../project-row.ts";
import { noFacts } from "./no-facts.ts";

const hasher = await createHasher();

/** The row of an object that was just seen, in a cluster of which nothing more is known. */
export function projectSample(kind: Kind, object: unknown): RowContent {
  return projectRow(kind, object, { facts: noFacts, terminatingForMs: 0 });
}

/** The row of an object with its hash, for the cluster with the longest name. */
export function sealSample(kind: Kind, object: unknown): Row {
  const sealer = new RowSealer(parseClusterId("c".repeat(63)), kind.resource, hasher);
  return sealer.seal(projectSample(kind, object));
}

/** Columns that the kind does not name, or whose value is not of their type. */
export function strangeColumns(kind: Kind, row: RowContent): readonly string[] {
  const types = new Map<string, ColumnType>(rowColumnsOf(kind).map(({ name, type }) => [name, type]));
  return Array.from(row.columns)
    .filter(([name, value]) => !isOfType(value, types.get(name)))
    .map(([name]) => name);
}

function isOfType(value: ColumnValue, type: ColumnType | undefined): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value);
    case "float":
      return Number.isFinite(value);
    case "stringList":
      return Array.isArray(value) && value.every((each) => typeof each === "string");
    case undefined:
      return false;
    default:
      return type satisfies never;
  }
}
