// SPDX-License-Identifier: Apache-2.0
import { isNamespace, isObjectName } from "../object-name.ts";
import { utf8ByteCount } from "../text.ts";
import type { RowContent } from "./row.ts";

/** The first millisecond of year 1: the earliest time in RFC 3339 and in a protobuf timestamp. */
export const minRowTimeMs = -62_135_596_800_000;

/** The last millisecond of year 9999: the latest time in both. */
export const maxRowTimeMs = 253_402_300_799_999;

/**
 * Most bytes of a uid and of a resourceVersion; kinds cut them to this (KI6). Those of Kubernetes have 36 and at most
 * 20.
 */
export const maxTokenBytes = 1_024;

/** True for a valid generation: Kubernetes counts upwards from 0 or 1. */
export function isGeneration(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** True for whole milliseconds since 1970 within the years 1 to 9999. 0 means "not reported" (CO21). */
export function isRowTime(value: number): boolean {
  return Number.isSafeInteger(value) && value >= minRowTimeMs && value <= maxRowTimeMs;
}

/** A UTF-16 unit has at most three UTF-8 bytes, so short tokens need no counting. */
function isToken(text: string): boolean {
  return text.length * 3 <= maxTokenBytes || utf8ByteCount(text) <= maxTokenBytes;
}

/** Clauses that state why content is not a row (CO63, CO64). Agent and hub use the same ones. */
export const rowFaults = {
  namespace: "has a namespace that is not a DNS label",
  name: "has a name that cannot be a path segment",
  uid: `has a uid of more than ${maxTokenBytes} bytes`,
  resourceVersion: `has a resourceVersion of more than ${maxTokenBytes} bytes`,
  generation: "has a generation that is not a safe integer of 0 or more",
  createdAt: "has a createdAt that is not a time of the years 1 to 9999",
  deletedAt: "has a deletedAt that is not a time of the years 1 to 9999",
  column: "has a column that is not a finite number",
} as const;

/**
 * Why this content is not a row, as a clause; undefined for a valid row (CO63). The size is checked when bytes are
 * written.
 */
export function faultOfRow(row: RowContent): string | undefined {
  if (!isNamespace(row.namespace)) return rowFaults.namespace;
  if (!isObjectName(row.name)) return rowFaults.name;
  if (!isToken(row.uid)) return rowFaults.uid;
  if (!isToken(row.resourceVersion)) return rowFaults.resourceVersion;
  if (!isGeneration(row.generation)) return rowFaults.generation;
  if (!isRowTime(row.createdAt)) return rowFaults.createdAt;
  if (row.deletedAt !== undefined && !isRowTime(row.deletedAt)) return rowFaults.deletedAt;
  for (const value of row.columns.values())
    if (typeof value === "number" && !Number.isFinite(value)) return rowFaults.column;
  return undefined;
}
