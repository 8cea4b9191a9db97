// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { copyJson, type DraftObject, ensureObject, type JsonObject } from "../../apiserver/json/json.ts";
import { objectAt, textOf, valueAt } from "../../apiserver/json/json-fields.ts";
import { formatTime } from "../../apiserver/schema-decode/go-time.ts";
import type { Outcome } from "../../base/queues/keyed-queue.ts";
import { nextCronTimeMs } from "./cron-times.ts";
import { isEnded } from "./job-controller.ts";
import { countAt, isConditionTrue, isTerminating, nameOf, namespaceOf, timeAt, uidOf } from "./object-parts.ts";
import { controllerKey, controllerReference, ownedBy, ownerKinds } from "./owner.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";
import { updateStatus } from "./update-status.ts";

const kind = ownerKinds.cronJob;
const jobs = ownerKinds.job.resource;

/**
 * CronJobs: creates a Job at each scheduled time, and deletes finished Jobs above the history limits. Times missed
 * while nothing ran are made up for by one Job.
 */
export function createCronJobController(context: ControllerContext): PlaygroundController {
  const { client } = context;
  return {
    name: "cronjob",
    resource: kind.resource,
    watches: { [jobs]: ({ object }) => [controllerKey(object, kind)] },
    async reconcile({ namespace, name }) {
      const cronJob = client.objects.get(kind.resource, namespace, name);
      if (cronJob === undefined || isTerminating(cronJob)) return {};
      await dropEnded(context, cronJob);
      const outcome = await startDue(context, cronJob);
      const newest = client.objects.get(kind.resource, namespace, name);
      if (newest !== undefined) await writeActive(context, newest);
      return outcome;
    },
  };
}

async function startDue(context: ControllerContext, cronJob: JsonObject): Promise<Outcome> {
  const { clock } = context;
  if (valueAt(cronJob, "spec", "suspend") === true) return {};
  const nowMs = clock.wallMs();
  const schedule = textOf(cronJob, "spec", "schedule");
  const lastMs =
    timeAt(cronJob, "status", "lastScheduleTime") ?? timeAt(cronJob, "metadata", "creationTimestamp") ?? nowMs;
  const firstMs = nextCronTimeMs(schedule, lastMs);
  if (firstMs === undefined) return {};
  if (firstMs > nowMs) return { retryAfterMs: firstMs - nowMs };
  const dueMs = lastDueMs(schedule, firstMs, nowMs);
  const deadline = countAt(cronJob, "spec", "startingDeadlineSeconds");
  const isMissed = deadline !== undefined && nowMs - dueMs > deadline * 1000;
  const running = ownedBy(context.client.objects, jobs, cronJob).filter((job) => !isEnded(job));
  const policy = textOf(cronJob, "spec", "concurrencyPolicy");
  const mayRun = !isMissed && (policy !== "Forbid" || running.length === 0);
  if (mayRun && policy === "Replace") for (const job of running) await deleteJob(context, job);
  if (mayRun) await createJob(context, cronJob, dueMs);
  const nextMs = nextCronTimeMs(schedule, nowMs);
  return nextMs === undefined ? {} : { retryAfterMs: nextMs - nowMs };
}

/** The latest scheduled time up to now. Earlier missed times are skipped. */
function lastDueMs(schedule: string, firstMs: number, nowMs: number): number {
  let dueMs = firstMs;
  // Kubernetes also stops counting after a hundred missed times.
  for (let count = 0; count < 100; count += 1) {
    const nextMs = nextCronTimeMs(schedule, dueMs);
    if (nextMs === undefined || nextMs > nowMs) return dueMs;
    dueMs = nextMs;
  }
  return nowMs;
}

async function createJob(context: ControllerContext, cronJob: JsonObject, dueMs: number): Promise<void> {
  const { client, events } = context;
  const template = objectAt(cronJob, "spec", "jobTemplate") ?? {};
  const labels = objectAt(template, "metadata", "labels");
  const name = `${nameOf(cronJob)}-${Math.floor(dueMs / 60_000)}`;
  const annotations = {
    ...objectAt(template, "metadata", "annotations"),
    "batch.kubernetes.io/cronjob-scheduled-timestamp": formatTime(dueMs),
  };
  const job: JsonObject = {
    metadata: {
      name,
      namespace: namespaceOf(cronJob),
      annotations,
      ...(labels === undefined ? {} : { labels }),
      ownerReferences: [controllerReference(kind, cronJob)],
    },
    spec: objectAt(template, "spec") ?? {},
  };
  try {
    await client.create(jobs, copyJson(job));
    const component = "cronjob-controller";
    await events.record(
      { ...kind, object: cronJob },
      { type: "Normal", reason: "SuccessfulCreate", message: `Created job ${name}`, component },
    );
  } catch (reason) {
    if (!isRefusal(reason, "AlreadyExists")) throw reason;
  }
  await updateStatus(client, kind.resource, cronJob, (draft) => {
    ensureObject(draft, "status")["lastScheduleTime"] = formatTime(dueMs);
  });
}

async function writeActive({ client }: ControllerContext, cronJob: JsonObject): Promise<void> {
  const owned = ownedBy(client.objects, jobs, cronJob);
  const active = owned
    .filter((job) => !isEnded(job))
    .map(
      (job): DraftObject => ({
        kind: "Job",
        namespace: namespaceOf(job),
        name: nameOf(job),
        uid: uidOf(job),
        apiVersion: "batch/v1",
      }),
    );
  const ends = owned.flatMap((job) => timeAt(job, "status", "completionTime") ?? []);
  await updateStatus(client, kind.resource, cronJob, (draft) => {
    const status = ensureObject(draft, "status");
    if (active.length === 0) delete status["active"];
    else status["active"] = active;
    const lastMs = Math.max(timeAt(status, "lastSuccessfulTime") ?? 0, ...ends);
    if (lastMs > 0) status["lastSuccessfulTime"] = formatTime(lastMs);
  });
}

async function dropEnded(context: ControllerContext, cronJob: JsonObject): Promise<void> {
  const owned = ownedBy(context.client.objects, jobs, cronJob).filter((job) => !isTerminating(job));
  const startedAtMs = (job: JsonObject): number => timeAt(job, "metadata", "creationTimestamp") ?? 0;
  const drop = async (type: string, limit: number): Promise<void> => {
    const ended = owned.filter((job) => isConditionTrue(job, type)).sort((a, b) => startedAtMs(a) - startedAtMs(b));
    for (const job of ended.slice(0, Math.max(0, ended.length - limit))) await deleteJob(context, job);
  };
  await drop("Complete", countAt(cronJob, "spec", "successfulJobsHistoryLimit") ?? 3);
  await drop("Failed", countAt(cronJob, "spec", "failedJobsHistoryLimit") ?? 1);
}

async function deleteJob({ client }: ControllerContext, job: JsonObject): Promise<void> {
  const ref = { resource: jobs, namespace: namespaceOf(job), name: nameOf(job) };
  await client.delete(ref, { uid: uidOf(job), propagation: "Background" });
}
