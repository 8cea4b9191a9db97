// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { cronJobKind } from "./cron-job-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";
import { sampleCronJob } from "./testing/sample-workloads.ts";

test("a CronJob's row has schedule, last times, and the Jobs under way", () => {
  const row = rowOf(cronJobKind, sampleCronJob("x"));
  expect(Object.fromEntries(row.columns)).toMatchObject({
    schedule: "*/5 * * * *",
    timeZone: "Europe/Berlin",
    suspend: false,
    concurrency: "Forbid",
    active: 2,
    activeJobs: ["report-2901", "report-2902"],
    lastScheduledAt: 1_767_607_500_000,
    lastSucceededAt: 1_767_607_242_000,
  });
  expect(row.columns.get("images")).toHaveLength(4);
  expect(row.status).toBe("healthy");
});

test("[KI12] a CronJob with suspend is suspended", () => {
  const row = rowOf(cronJobKind, { metadata: { name: "report" }, spec: { suspend: true } });
  expect([row.status, row.columns.get("suspend"), row.columns.get("active")]).toEqual(["suspended", true, 0]);
});
