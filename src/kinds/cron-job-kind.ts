// SPDX-License-Identifier: Apache-2.0
import { createStatusReport } from "../model/status.ts";
import { compareUtf8 } from "../model/text.ts";
import { booleanOf, fieldOf, listOf, textOf, timeOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn, setTime } from "./kind.ts";
import { setTemplate, templateColumns } from "./workload.ts";

/** CronJobs. The status of its Jobs is in their own rows. */
export const cronJobKind: Kind = {
  resource: { group: "batch", resource: "cronjobs" },
  kind: "CronJob",
  versions: ["v1", "v1beta1"],
  isNamespaced: true,
  columns: [
    { name: "schedule", type: "string", isMain: true },
    { name: "timeZone", type: "string" },
    { name: "suspend", type: "boolean", isMain: true },
    { name: "concurrency", type: "string" },
    { name: "active", type: "integer", isMain: true },
    { name: "activeJobs", type: "stringList" },
    { name: "lastScheduledAt", type: "integer", isMain: true },
    { name: "lastSucceededAt", type: "integer" },
    ...templateColumns,
  ],
  project: projectCronJob,
};

function projectCronJob(object: unknown): Projected {
  const columns: Columns = new Map();
  const isSuspended = booleanOf(object, "spec", "suspend") === true;
  const active = listOf(object, "status", "active").flatMap((each) => textOf(each, "name") ?? []);
  setColumn(columns, "schedule", textOf(object, "spec", "schedule"));
  setColumn(columns, "timeZone", textOf(object, "spec", "timeZone"));
  columns.set("suspend", isSuspended);
  setColumn(columns, "concurrency", textOf(object, "spec", "concurrencyPolicy"));
  columns.set("active", active.length);
  setColumn(columns, "activeJobs", active.sort(compareUtf8));
  setTime(columns, "lastScheduledAt", timeOf(object, "status", "lastScheduleTime"));
  setTime(columns, "lastSucceededAt", timeOf(object, "status", "lastSuccessfulTime"));
  setTemplate(columns, fieldOf(object, "spec", "jobTemplate"));
  return {
    columns,
    status: isSuspended ? createStatusReport("suspended", "Suspended") : createStatusReport("healthy"),
  };
}
