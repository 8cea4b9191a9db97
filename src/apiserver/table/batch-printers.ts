// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../json/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textOf, valueAt } from "../json/json-fields.ts";
import type { Column } from "../resources/printer.ts";
import { ageOf, humanDuration, parseTimeMs } from "./age.ts";
import { ageCell, containerCells, countCell, isBeingDeleted, nameOf } from "./cells.ts";
import { ageColumn, booleanColumn, integerColumn, nameColumn, printCells, textColumn, wideColumn } from "./columns.ts";
import { formatSelector } from "./selector-text.ts";

const wideColumns: readonly Column[] = [wideColumn("Containers"), wideColumn("Images"), wideColumn("Selector")];

export const jobPrinter = printCells(
  [nameColumn, textColumn("Status"), textColumn("Completions"), textColumn("Duration"), ageColumn, ...wideColumns],
  (job, nowMs) => [
    nameOf(job),
    jobStatus(job),
    completionsCell(job),
    durationCell(job, nowMs),
    ageCell(job, nowMs),
    ...containerCells(objectAt(job, "spec", "template", "spec")),
    formatSelector(objectAt(job, "spec", "selector")),
  ],
);

export const cronJobPrinter = printCells(
  [
    nameColumn,
    textColumn("Schedule"),
    textColumn("Timezone"),
    booleanColumn("Suspend"),
    integerColumn("Active"),
    textColumn("Last Schedule"),
    ageColumn,
    ...wideColumns,
  ],
  (cronJob, nowMs) => {
    const lastScheduleTime = textAt(cronJob, "status", "lastScheduleTime");
    return [
      nameOf(cronJob),
      textOf(cronJob, "spec", "schedule"),
      textAt(cronJob, "spec", "timeZone") ?? "<none>",
      suspendCell(cronJob),
      objectsAt(cronJob, "status", "active").length,
      lastScheduleTime === undefined ? "<none>" : ageOf(lastScheduleTime, nowMs),
      ageCell(cronJob, nowMs),
      ...containerCells(objectAt(cronJob, "spec", "jobTemplate", "spec", "template", "spec")),
      formatSelector(objectAt(cronJob, "spec", "jobTemplate", "spec", "selector")),
    ];
  },
);

/** As in kube-apiserver, the column is a boolean and the cell a string. */
function suspendCell(cronJob: JsonObject): string {
  const suspend = valueAt(cronJob, "spec", "suspend");
  if (typeof suspend !== "boolean") return "<unset>";
  return suspend ? "True" : "False";
}

function jobStatus(job: JsonObject): string {
  if (hasCondition(job, "Complete")) return "Complete";
  if (hasCondition(job, "Failed")) return "Failed";
  if (isBeingDeleted(job)) return "Terminating";
  const conditions = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
  return conditions.find((type) => hasCondition(job, type)) ?? "Running";
}

/** Whether the first condition of that type is True. */
function hasCondition(job: JsonObject, type: string): boolean {
  const found = objectsAt(job, "status", "conditions").find((condition) => textAt(condition, "type") === type);
  return found !== undefined && textAt(found, "status") === "True";
}

function completionsCell(job: JsonObject): string {
  const succeeded = countCell(job, "status", "succeeded");
  const completions = numberAt(job, "spec", "completions");
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = countCell(job, "spec", "parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell(job: JsonObject, nowMs: number): string {
  const startMs = timeAt(job, "startTime");
  return startMs === undefined ? "" : humanDuration((timeAt(job, "completionTime") ?? nowMs) - startMs);
}

function timeAt(job: JsonObject, key: string): number | undefined {
  const time = textAt(job, "status", key);
  return time === undefined ? undefined : parseTimeMs(time);
}
