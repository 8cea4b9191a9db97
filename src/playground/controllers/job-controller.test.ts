// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DraftObject, ensureObject, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, textOf } from "../../apiserver/json/json-fields.ts";
import { annotationOf, conditionOf, isConditionTrue, nameOf } from "./object-parts.ts";
import { phaseOf } from "./pod-facts.ts";
import { PlaygroundRig } from "./testing/playground-rig.ts";

let rig: PlaygroundRig;
beforeEach(async () => {
  rig = await PlaygroundRig.open();
});
afterEach(() => rig.close());

function jobSpec(command: string, spec: DraftObject = {}): DraftObject {
  const container = { name: "work", image: "registry.example/work:1.0.0", command: ["sh", "-c", command] };
  return { template: { spec: { restartPolicy: "Never", containers: [container] } }, ...spec };
}

async function createJob(command: string, spec: DraftObject = {}): Promise<void> {
  await rig.client.create("batch/jobs", {
    metadata: { name: "work", namespace: "shop" },
    spec: jobSpec(command, spec),
  });
}

function job(): JsonObject {
  return rig.get("batch/jobs", "work") ?? {};
}

test("a Job runs its Pods at most so many at once and completes", async () => {
  await createJob("sleep 4", { completions: 5, parallelism: 2 });
  await rig.pass(40, () => expect(rig.pods().length).toBeLessThanOrEqual(2));
  expect(isConditionTrue(job(), "Complete")).toBe(true);
  expect(countOf(job(), "status", "succeeded")).toBe(5);
  expect(textOf(job(), "status", "completionTime")).not.toBe("");
  expect(rig.list("pods").map(phaseOf)).toEqual(Array.from({ length: 5 }, () => "Succeeded"));
});

test("a Job whose Pods fail gives up after its limit", async () => {
  await createJob("sleep 1; exit 3", { backoffLimit: 2 });
  await rig.pass(40);
  expect(textOf(conditionOf(job(), "Failed") ?? {}, "reason")).toBe("BackoffLimitExceeded");
  expect(countOf(job(), "status", "failed")).toBe(3);
});

test("an indexed Job has each index once", async () => {
  await createJob("sleep 2", { completions: 4, parallelism: 3, completionMode: "Indexed" });
  await rig.pass(30);
  expect(textOf(job(), "status", "completedIndexes")).toBe("0-3");
  const indexes = rig.list("pods").map((pod) => annotationOf(pod, "batch.kubernetes.io/job-completion-index"));
  expect(new Set(indexes)).toEqual(new Set(["0", "1", "2", "3"]));
  expect(indexes).toHaveLength(4);
});

test("a Job that is over time fails, and one that may go after its end does", async () => {
  await createJob("sleep 100", { activeDeadlineSeconds: 10, ttlSecondsAfterFinished: 30 });
  await rig.pass(15);
  expect(textOf(conditionOf(job(), "Failed") ?? {}, "reason")).toBe("DeadlineExceeded");
  expect(rig.pods()).toEqual([]);
  await rig.pass(40);
  expect(rig.get("batch/jobs", "work")).toBeUndefined();
});

describe("a CronJob", () => {
  async function createCronJob(spec: DraftObject): Promise<void> {
    const metadata = { name: "tick", namespace: "shop" };
    await rig.client.create("batch/cronjobs", { metadata, spec: { schedule: "*/2 * * * *", ...spec } });
  }

  test("starts a Job at each time of its schedule and keeps as many as its limit says", async () => {
    await createCronJob({ successfulJobsHistoryLimit: 2, jobTemplate: { spec: jobSpec("sleep 3") } });
    await rig.pass(121);
    expect(rig.list("batch/jobs")).toHaveLength(1);
    await rig.pass(480);
    const jobs = rig.list("batch/jobs");
    expect(jobs.filter((each) => isConditionTrue(each, "Complete"))).toHaveLength(2);
    const cronJob = rig.get("batch/cronjobs", "tick") ?? {};
    expect(textOf(cronJob, "status", "lastScheduleTime")).toBe("2026-01-01T00:10:00Z");
    expect(textOf(cronJob, "status", "lastSuccessfulTime")).not.toBe("");
  });

  test("that forbids two at once waits for the one that runs", async () => {
    await createCronJob({ concurrencyPolicy: "Forbid", jobTemplate: { spec: jobSpec("sleep 200") } });
    await rig.pass(300);
    expect(rig.list("batch/jobs")).toHaveLength(1);
  });

  test("makes up for one time that passed while nothing ran, and not for all", async () => {
    await createCronJob({ jobTemplate: { spec: jobSpec("sleep 3") } });
    await rig.quiet();
    await rig.stop();
    await rig.clock.advance(600_000);
    rig.start();
    await rig.quiet();
    expect(rig.list("batch/jobs").map(nameOf)).toHaveLength(1);
    await rig.change("batch/cronjobs", "tick", (draft) => {
      ensureObject(draft, "spec")["suspend"] = true;
    });
    await rig.pass(300);
    expect(rig.list("batch/jobs")).toHaveLength(1);
  });
});
