// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, type JsonObject } from "../../apiserver/json/json.ts";
import { objectAt, valueAt } from "../../apiserver/json/json-fields.ts";
import { formatTime } from "../../apiserver/schema-decode/go-time.ts";
import type { Outcome } from "../../base/queues/keyed-queue.ts";
import { makePod } from "./make-pod.ts";
import { setCondition } from "./object-conditions.ts";
import {
  annotationOf,
  countAt,
  isConditionTrue,
  isTerminating,
  nameOf,
  namespaceOf,
  timeAt,
  uidOf,
  withoutEmpty,
} from "./object-parts.ts";
import { createPods, deletePods } from "./owned-pods.ts";
import { controllerKey, ownedBy, ownerKinds } from "./owner.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";
import { isActive, isReady, phaseOf, restartCountOf } from "./pod-facts.ts";
import { updateStatus } from "./update-status.ts";

const kind = ownerKinds.job;
const component = "job-controller";
const indexKey = "batch.kubernetes.io/job-completion-index";

/** Jobs: creates Pods until enough have succeeded or too many have failed. */
export function createJobController(context: ControllerContext): PlaygroundController {
  const { client } = context;
  return {
    name: "job",
    resource: kind.resource,
    watches: { pods: ({ object }) => [controllerKey(object, kind)] },
    async reconcile({ namespace, name }) {
      const job = client.objects.get(kind.resource, namespace, name);
      if (job === undefined || isTerminating(job)) return {};
      if (isEnded(job)) return await expire(context, job);
      const pods = ownedBy(client.objects, "pods", job);
      const decision = decideOutcome(job, pods, context.clock.wallMs());
      if (decision.end !== undefined)
        await deletePods(context, { kind, object: job, component }, pods.filter(isActive));
      else await createMissing(context, job, pods);
      await writeStatus(context, job, decision.end);
      return decision.waitMs === undefined ? {} : { retryAfterMs: decision.waitMs };
    },
  };
}

/** Whether the Job is complete or failed. */
export function isEnded(job: JsonObject): boolean {
  return isConditionTrue(job, "Complete") || isConditionTrue(job, "Failed");
}

interface JobEnd {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

function decideOutcome(
  job: JsonObject,
  pods: readonly JsonObject[],
  nowMs: number,
): { readonly end?: JobEnd; readonly waitMs?: number } {
  const succeeded = succeededOf(job, pods);
  const wanted = countAt(job, "spec", "completions");
  const isDone = wanted === undefined ? succeeded > 0 && !pods.some(isActive) : succeeded >= wanted;
  if (isDone)
    return {
      end: { type: "Complete", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" },
    };
  const failures =
    pods.filter((pod) => phaseOf(pod) === "Failed").length +
    pods.filter(isActive).reduce((sum, pod) => sum + restartCountOf(pod), 0);
  if (failures > (countAt(job, "spec", "backoffLimit") ?? 6))
    return {
      end: {
        type: "Failed",
        reason: "BackoffLimitExceeded",
        message: "Job has reached the specified backoff limit",
      },
    };
  const deadline = countAt(job, "spec", "activeDeadlineSeconds");
  const startedAtMs = timeAt(job, "status", "startTime") ?? nowMs;
  if (deadline === undefined || valueAt(job, "spec", "suspend") === true) return {};
  const waitMs = startedAtMs + deadline * 1000 - nowMs;
  if (waitMs > 0) return { waitMs };
  const message = "Job was active longer than specified deadline";
  return { end: { type: "Failed", reason: "DeadlineExceeded", message } };
}

function isIndexed(job: JsonObject): boolean {
  return valueAt(job, "spec", "completionMode") === "Indexed";
}

function indexesOf(pods: readonly JsonObject[]): ReadonlySet<number> {
  return new Set(pods.map((pod) => Number(annotationOf(pod, indexKey) ?? -1)));
}

function succeededOf(job: JsonObject, pods: readonly JsonObject[]): number {
  const ended = pods.filter((pod) => phaseOf(pod) === "Succeeded");
  return isIndexed(job) ? indexesOf(ended).size : ended.length;
}

async function createMissing(context: ControllerContext, job: JsonObject, pods: readonly JsonObject[]): Promise<void> {
  const owner = { kind, object: job, component };
  const active = pods.filter(isActive);
  if (valueAt(job, "spec", "suspend") === true) {
    await deletePods(context, owner, active);
    return;
  }
  const parallelism = countAt(job, "spec", "parallelism") ?? 1;
  const completions = countAt(job, "spec", "completions");
  const succeeded = succeededOf(job, pods);
  const left = completions === undefined ? (succeeded > 0 ? 0 : parallelism) : completions - succeeded;
  const missing = Math.min(parallelism, left) - active.length;
  if (missing < 0) await deletePods(context, owner, active.slice(missing));
  if (missing <= 0) return;
  const taken = indexesOf([...active, ...pods.filter((pod) => phaseOf(pod) === "Succeeded")]);
  const free = Array.from({ length: completions ?? 0 }, (_, index) => index).filter((index) => !taken.has(index));
  const made = Array.from({ length: missing }, (_, at) => makeJobPod(job, isIndexed(job) ? free[at] : undefined));
  await createPods(context, owner, made);
}

function makeJobPod(job: JsonObject, index: number | undefined): DraftObject {
  const own = index === undefined ? {} : { [indexKey]: String(index) };
  return makePod({
    kind,
    owner: job,
    template: objectAt(job, "spec", "template") ?? {},
    labels: own,
    annotations: own,
    ...(index === undefined ? {} : { generateName: `${nameOf(job)}-${index}-` }),
  });
}

async function writeStatus(context: ControllerContext, job: JsonObject, end: JobEnd | undefined): Promise<void> {
  const { client, clock, events } = context;
  const pods = ownedBy(client.objects, "pods", job);
  const nowMs = clock.wallMs();
  const isSuspended = valueAt(job, "spec", "suspend") === true;
  await updateStatus(client, kind.resource, job, (draft) => {
    const before = ensureObject(draft, "status");
    const { conditions } = before;
    const startTime = before["startTime"] ?? (isSuspended ? undefined : formatTime(nowMs));
    const active = end === undefined ? pods.filter(isActive) : [];
    draft["status"] = withoutEmpty({
      conditions,
      startTime,
      active: active.length,
      succeeded: succeededOf(job, pods),
      failed: pods.filter((pod) => phaseOf(pod) === "Failed").length,
      completedIndexes: isIndexed(job) ? completedText(pods) : undefined,
    });
    const status = ensureObject(draft, "status");
    status["uncountedTerminatedPods"] = {};
    status["terminating"] = 0;
    status["ready"] = active.filter(isReady).length;
    if (end === undefined) return;
    if (end.type === "Complete") {
      status["completionTime"] = formatTime(nowMs);
      setJobCondition(draft, { ...end, type: "SuccessCriteriaMet" }, nowMs);
    } else setJobCondition(draft, { ...end, type: "FailureTarget" }, nowMs);
    setJobCondition(draft, end, nowMs);
  });
  if (end === undefined) return;
  const isComplete = end.type === "Complete";
  await events.record(
    { ...kind, object: job },
    {
      type: isComplete ? "Normal" : "Warning",
      reason: isComplete ? "Completed" : end.reason,
      message: isComplete ? "Job completed" : end.message,
      component,
    },
  );
}

function setJobCondition(
  draft: DraftObject,
  { type, reason, message }: { readonly type: string; readonly reason: string; readonly message: string },
  nowMs: number,
): void {
  setCondition(draft, { type, status: "True", reason, message }, nowMs, { timesOfUpdate: ["lastProbeTime"] });
}

/** Succeeded indexes as ranges: `0-2,5`. */
function completedText(pods: readonly JsonObject[]): string {
  const done = [...indexesOf(pods.filter((pod) => phaseOf(pod) === "Succeeded"))].sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const index of done) {
    const last = runs.at(-1);
    if (last?.[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(",");
}

/** Deletes a finished Job after its `ttlSecondsAfterFinished`, if set. */
async function expire({ client, clock }: ControllerContext, job: JsonObject): Promise<Outcome> {
  const seconds = countAt(job, "spec", "ttlSecondsAfterFinished");
  if (seconds === undefined) return {};
  const endedAtMs = timeAt(job, "status", "completionTime") ?? timeAt(job, "status", "startTime") ?? 0;
  const leftMs = endedAtMs + seconds * 1000 - clock.wallMs();
  if (leftMs > 0) return { retryAfterMs: leftMs };
  const ref = { resource: kind.resource, namespace: namespaceOf(job), name: nameOf(job) };
  await client.delete(ref, { uid: uidOf(job), propagation: "Background" });
  return {};
}
