// SPDX-License-Identifier: Apache-2.0
// Rows enter and leave a query with `age` as time passes, without a change of the row.
import { unreachable } from "../../base/assert.ts";
import type { Predicate } from "../language/query-predicate.ts";
import type { KindTable } from "../table/kind-table.ts";

/** The distinct ages, in milliseconds, that a predicate compares with. */
export function agesIn(predicate: Predicate): readonly number[] {
  return [...new Set(listAges(predicate))];
}

function listAges(predicate: Predicate): readonly number[] {
  switch (predicate.kind) {
    case "age":
      return [predicate.ms];
    case "and":
    case "or":
      return predicate.parts.flatMap(listAges);
    case "not":
      return listAges(predicate.of);
    case "all":
    case "field":
    case "label":
    case "annotation":
    case "resources":
    case "status":
    case "created":
    case "owner":
    case "image":
    case "column":
    case "text":
      return [];
    default:
      return unreachable(predicate, "predicate");
  }
}

/** As `nextAgeChange`, of one row. */
export function nextAgeChangeOf(createdAt: number, ages: readonly number[], nowMs: number): number {
  if (createdAt === 0) return Number.POSITIVE_INFINITY;
  return Math.min(...ages.map((ms) => createdAt + ms).filter((atMs) => atMs >= nowMs));
}

/**
 * The moment from which a row of the table may compare otherwise with one of the ages than at `nowMs`; Infinity if there
 * is none. The moment is `nowMs` itself if a row has exactly one of the ages: any later moment is then another answer.
 */
export function nextAgeChange({ count, creationTimes }: KindTable, ages: readonly number[], nowMs: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const ms of ages) {
    for (let row = 0; row < count; row += 1) {
      const at = creationTimes.get(row) + ms;
      if (at >= nowMs && at < next) next = at;
    }
  }
  return next;
}
