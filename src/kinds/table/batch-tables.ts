// SPDX-License-Identifier: Apache-2.0
// Kinds of the group batch.
import type { RowContent } from "../../model/rows/row.ts";
import { humanAge, humanDuration } from "./human-duration.ts";
import { ageColumn, createRowTable, integerColumn, nameColumn, textColumn } from "./printed-columns.ts";
import { countIn, numberIn, textIn } from "./row-values.ts";
import { selectorColumn, templateCells } from "./workload-tables.ts";

/** Jobs. */
export const jobTable = createRowTable([
  nameColumn,
  textColumn("Status", (row) => textIn(row, "printStatus")),
  textColumn("Completions", completionsCell),
  textColumn("Duration", durationCell),
  ageColumn,
  ...templateCells,
  selectorColumn,
]);

/** CronJobs. As in kube-apiserver, the type of the column Suspend is boolean and its cells are texts. */
export const cronJobTable = createRowTable([
  nameColumn,
  textColumn("Schedule", (row) => textIn(row, "schedule")),
  textColumn("Timezone", (row) => textIn(row, "timeZone") || "<none>"),
  { ...textColumn("Suspend", suspendCell), type: "boolean" },
  integerColumn("Active", (row) => countIn(row, "active")),
  textColumn("Last Schedule", lastScheduleCell),
  ageColumn,
  ...templateCells,
  selectorColumn,
]);

/** `2/3`. A Job without a number of completions needs one; `0/1 of 4` adds how many Pods may run at a time. */
function completionsCell(row: RowContent): string {
  const succeeded = countIn(row, "succeeded");
  const completions = numberIn(row, "completions");
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = countIn(row, "parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

/** Until it completes, the duration grows: a failed Job has no time of completion. */
function durationCell(row: RowContent, nowMs: number): string {
  const startedAt = countIn(row, "startedAt");
  return startedAt === 0 ? "" : humanDuration((countIn(row, "completedAt") || nowMs) - startedAt);
}

function suspendCell({ columns }: RowContent): string {
  const suspend = columns.get("suspend");
  if (typeof suspend !== "boolean") return "<unset>";
  return suspend ? "True" : "False";
}

function lastScheduleCell(row: RowContent, nowMs: number): string {
  const lastAt = countIn(row, "lastScheduledAt");
  return lastAt === 0 ? "<none>" : humanAge(lastAt, nowMs);
}
