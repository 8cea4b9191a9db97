// SPDX-License-Identifier: Apache-2.0
import type { RowContent } from "../../model/rows/row.ts";
import { humanDuration } from "./human-duration.ts";
import { ageColumn, createRowTable, nameColumn, textColumn, wideColumn } from "./printed-columns.ts";
import { countIn, listIn, textIn } from "./row-values.ts";

/** Pods. */
export const podTable = createRowTable([
  nameColumn,
  textColumn("Ready", (row) => textIn(row, "ready") || "0/0"),
  textColumn("Status", (row) => textIn(row, "printStatus") || textIn(row, "phase")),
  textColumn("Restarts", restartsCell),
  ageColumn,
  wideColumn("IP", (row) => listIn(row, "podIps")?.[0] ?? "<none>"),
  wideColumn("Node", (row) => textIn(row, "node") || "<none>"),
  wideColumn("Nominated Node", (row) => textIn(row, "nominatedNode") || "<none>"),
  wideColumn("Readiness Gates", (row) => textIn(row, "readinessGates") || "<none>"),
]);

/** `3 (5m ago)`: how often containers restarted, and when last. */
function restartsCell(row: RowContent, nowMs: number): string {
  const lastAt = countIn(row, "lastRestartAt");
  const restarts = String(countIn(row, "restarts"));
  return lastAt === 0 ? restarts : `${restarts} (${humanDuration(nowMs - lastAt)} ago)`;
}
