// SPDX-License-Identifier: Apache-2.0
import type { Row } from "../../model/rows/row.ts";
import { type Status, statusRank } from "../../model/status.ts";
import type { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";

/** Selects rows of this status and of worse ones, at most `limit` rows. */
export interface WorstRequest {
  readonly status: Status;
  readonly limit: number;
}

/** The worst rows first, rows of one status in key order. Reads a byte of each row and builds only the found ones. */
export function findWorstRows(table: KindTable, { status, limit }: WorstRequest): readonly Row[] {
  const worst: number[] = [];
  const ranks = table.statuses.values;
  for (let rank = 0; rank <= statusRank(status) && worst.length < limit; rank += 1) {
    let left = Math.min(limit - worst.length, table.statusCount(rank));
    if (left === 0) continue;
    for (const row of table.order()) {
      if (ranks[row] !== rank) continue;
      worst.push(row);
      left -= 1;
      if (left === 0) break;
    }
  }
  return worst.map((row) => readRow(table, row));
}
