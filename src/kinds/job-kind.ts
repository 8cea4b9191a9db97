// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { type Condition, conditionsOf, findCondition, statusFrom } from "./conditions.ts";
import { booleanOf, integerOf, textOf, timeOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn, setTime } from "./kind.ts";
import { countOf, setTemplate, templateColumns } from "./workload.ts";

/**
 * Jobs: how many of their Pods are active, succeeded and failed (CO14). `printStatus` is the word in kubectl's STATUS
 * (KI22).
 */
export const jobKind: Kind = {
  resource: { group: "batch", resource: "jobs" },
  kind: "Job",
  versions: ["v1"],
  isNamespaced: true,
  columns: [
    { name: "printStatus", type: "string" },
    { name: "completions", type: "integer", isMain: true },
    { name: "parallelism", type: "integer" },
    { name: "active", type: "integer", isMain: true },
    { name: "succeeded", type: "integer", isMain: true },
    { name: "failed", type: "integer", isMain: true },
    { name: "suspend", type: "boolean" },
    { name: "startedAt", type: "integer" },
    { name: "completedAt", type: "integer" },
    ...templateColumns,
  ],
  project: projectJob,
};

function projectJob(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "completions", integerOf(object, "spec", "completions"));
  setColumn(columns, "parallelism", integerOf(object, "spec", "parallelism"));
  for (const count of ["active", "succeeded", "failed"]) columns.set(count, countOf(object, count));
  if (isSuspended(object)) columns.set("suspend", true);
  setTime(columns, "startedAt", timeOf(object, "status", "startTime"));
  setTime(columns, "completedAt", timeOf(object, "status", "completionTime"));
  setTemplate(columns, object);
  const conditions = conditionsOf(object);
  columns.set("printStatus", printStatusOf(object, conditions));
  const complete = trueCondition(conditions, "Complete");
  if (complete !== undefined) return { columns, outcome: "succeeded", status: endOf(complete, "Completed") };
  const failed = trueCondition(conditions, "Failed");
  if (failed !== undefined) return { columns, outcome: "failed", status: endOf(failed, "Failed") };
  return { columns, status: unfinishedStatus(object, conditions) };
}

/** Conditions of a Job that runs, in the order in which kubectl looks for them. */
const runningConditions = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];

function printStatusOf(object: unknown, conditions: readonly Condition[]): string {
  const isTrue = (type: string): boolean => trueCondition(conditions, type) !== undefined;
  if (isTrue("Complete")) return "Complete";
  if (isTrue("Failed")) return "Failed";
  if (textOf(object, "metadata", "deletionTimestamp") !== undefined) return "Terminating";
  return runningConditions.find(isTrue) ?? "Running";
}

function isSuspended(object: unknown): boolean {
  return booleanOf(object, "spec", "suspend") === true;
}

function trueCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  const found = findCondition(conditions, type);
  return found?.status === "True" ? found : undefined;
}

/** Reason and message of the outcome. CO14 determines the status itself. */
function endOf({ reason, message }: Condition, otherwise: string): StatusReport {
  return createStatusReport("unknown", reason || otherwise, message);
}

function unfinishedStatus(object: unknown, conditions: readonly Condition[]): StatusReport {
  if (isSuspended(object)) return createStatusReport("suspended", "Suspended");
  // Its Pods are still terminating, but the Job has already failed.
  const failing = trueCondition(conditions, "FailureTarget");
  if (failing !== undefined) return statusFrom("unhealthy", failing);
  const [active, failed] = [countOf(object, "active"), countOf(object, "failed")];
  const failures = failed === 0 ? "" : `, ${failed} failed so far`;
  return createStatusReport(
    "progressing",
    active > 0 ? "Running" : "Pending",
    `${active === 1 ? "1 Pod is" : `${active} Pods are`} active${failures}`,
  );
}
