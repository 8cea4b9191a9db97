// SPDX-License-Identifier: Apache-2.0
// The lifecycle of a Pod on a healthy node, one step at a time, decided from its status. Pure: time and troubles are
// parameters.

import { copyJson, type DraftObject, ensureObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { objectAt, objectsAt, textOf, valueAt } from "../../../apiserver/json/json-fields.ts";
import { formatTime } from "../../../apiserver/schema-decode/go-time.ts";
import { isConditionTrue, nameOf, namespaceOf, timeAt } from "../object-parts.ts";
import { restartCountOf } from "../pod-facts.ts";
import type { TroubleName } from "../trouble-list.ts";
import { backOffStatus, type ContainerEnd, endedStatus, runningStatus, waitingStatus } from "./container-status.ts";
import { pullEvents, pullFailure } from "./image-pull.ts";
import { markContainersReady, setContainerStatuses, setPodConditions, statusOfContainer } from "./pod-conditions.ts";
import { isBatchPod, isMissingImage, planPod, restartDelayMs } from "./pod-plan.ts";
import type { PodStep } from "./pod-step.ts";

/** Inputs of a step besides the Pod. */
export interface PodSituation {
  readonly nowMs: number;
  readonly hostIp: string;
  /** Allocates an address for the Pod. Called only while the step is written. */
  readonly podIp: () => string;
  readonly troubles: ReadonlySet<TroubleName>;
}

/** Time to readiness under `slow-start`: long enough to be noticed, shorter than a rollout's default deadline. */
const slowReadyMs = 75_000;

/** The next step of a Pod that is bound to a node, not deleted and not finished. */
export function nextPodStep(pod: JsonObject, situation: PodSituation): PodStep {
  if (timeAt(pod, "status", "startTime") === undefined) return accept(pod, situation);
  const statuses = objectsAt(pod, "status", "containerStatuses");
  const backingOff = statuses.some((each) => textOf(each, "state", "waiting", "reason") === "CrashLoopBackOff");
  if (backingOff) return restart(pod, situation);
  return statuses.some((each) => objectAt(each, "state", "running") !== undefined)
    ? keepRunning(pod, situation)
    : start(pod, situation);
}

function containersOf(pod: JsonObject): readonly JsonObject[] {
  return objectsAt(pod, "spec", "containers");
}

function accept(pod: JsonObject, { nowMs, hostIp }: PodSituation): PodStep {
  return {
    notes: containersOf(pod).map((container) => ({
      type: "Normal",
      reason: "Pulling",
      message: `Pulling image "${textOf(container, "image")}"`,
      container: textOf(container, "name"),
    })),
    change(draft) {
      const status = ensureObject(draft, "status");
      status["phase"] = "Pending";
      status["hostIP"] = hostIp;
      status["hostIPs"] = [{ ip: hostIp }];
      status["startTime"] = formatTime(nowMs);
      setContainerStatuses(
        draft,
        containersOf(pod).map((each) => waitingStatus(each, "ContainerCreating")),
      );
      const initial = objectsAt(pod, "spec", "initContainers");
      if (initial.length > 0)
        status["initContainerStatuses"] = initial.map((each) => waitingStatus(each, "PodInitializing"));
      setPodConditions(draft, nowMs, { hasSandbox: false });
    },
  };
}

/** From waiting to running, or to a failing image pull. */
function start(pod: JsonObject, situation: PodSituation): PodStep {
  const { nowMs, troubles, hostIp, podIp } = situation;
  const startedAtMs = timeAt(pod, "status", "startTime") ?? nowMs;
  const failing = containersOf(pod).filter(
    (each) => troubles.has("image-pull") || isMissingImage(textOf(each, "image")),
  );
  if (failing.length > 0) return pullFailure(pod, failing, startedAtMs, nowMs);
  const plan = planPod(pod, 0);
  const leftMs = startedAtMs + plan.startMs - nowMs;
  if (leftMs > 0) return { waitMs: leftMs };
  return {
    notes: containersOf(pod).flatMap((container) => pullEvents(container, plan.startMs)),
    change(draft) {
      const status = ensureObject(draft, "status");
      status["phase"] = "Running";
      const ip = valueAt(pod, "spec", "hostNetwork") === true ? hostIp : podIp();
      status["podIP"] = ip;
      status["podIPs"] = [{ ip }];
      setContainerStatuses(
        draft,
        containersOf(pod).map((each) => runningStatus(pod, each, nowMs, statusOfContainer(pod, textOf(each, "name")))),
      );
      setInitContainerStatuses(draft, pod, startedAtMs, nowMs);
      setPodConditions(draft, nowMs, { hasSandbox: true });
    },
  };
}

function setInitContainerStatuses(draft: DraftObject, pod: JsonObject, startedAtMs: number, nowMs: number): void {
  const initial = objectsAt(pod, "spec", "initContainers");
  if (initial.length === 0) return;
  const end: ContainerEnd = { startedAtMs, finishedAtMs: nowMs, exitCode: 0 };
  ensureObject(draft, "status")["initContainerStatuses"] = initial.map((each) =>
    textOf(each, "restartPolicy") === "Always"
      ? { ...runningStatus(pod, each, nowMs, undefined), ready: true }
      : { ...endedStatus(pod, each, end, undefined), ready: true },
  );
}

function keepRunning(pod: JsonObject, situation: PodSituation): PodStep {
  const { nowMs, troubles } = situation;
  const plan = planPod(pod, restartCountOf(pod));
  const runningSinceMs = Math.max(
    ...objectsAt(pod, "status", "containerStatuses").map((each) => timeAt(each, "state", "running", "startedAt") ?? 0),
  );
  const crashes = troubles.has("crash-loop");
  const ends = crashes || isBatchPod(pod) || plan.exitCode !== 0;
  const endsInMs = ends ? runningSinceMs + plan.runMs - nowMs : undefined;
  if (endsInMs !== undefined && endsInMs <= 0)
    return end(pod, situation, {
      startedAtMs: runningSinceMs,
      finishedAtMs: nowMs,
      exitCode: crashes && plan.exitCode === 0 ? 1 : plan.exitCode,
    });
  const isReady = isConditionTrue(pod, "Ready");
  if (isReady) return endsInMs === undefined ? {} : { waitMs: endsInMs };
  const readyMs = troubles.has("slow-start") ? slowReadyMs : plan.readyMs;
  const readyInMs = runningSinceMs + readyMs - nowMs;
  if (readyInMs > 0) return { waitMs: endsInMs === undefined ? readyInMs : Math.min(readyInMs, endsInMs) };
  return {
    change(draft) {
      markContainersReady(draft);
      setPodConditions(draft, nowMs, { hasSandbox: true });
    },
  };
}

/** A container terminated. It backs off if the restart policy restarts it, else the Pod is finished. */
function end(pod: JsonObject, { nowMs }: PodSituation, how: ContainerEnd): PodStep {
  const policy = textOf(pod, "spec", "restartPolicy");
  const isFinal = policy === "Never" || (policy === "OnFailure" && how.exitCode === 0);
  if (isFinal)
    return {
      change(draft) {
        ensureObject(draft, "status")["phase"] = how.exitCode === 0 ? "Succeeded" : "Failed";
        setContainerStatuses(
          draft,
          containersOf(pod).map((each) => endedStatus(pod, each, how, statusOfContainer(pod, textOf(each, "name")))),
        );
        setPodConditions(draft, nowMs, { hasSandbox: false });
      },
    };
  const [failing, ...others] = containersOf(pod);
  if (failing === undefined) return {};
  const name = textOf(failing, "name");
  const podId = `${nameOf(pod)}_${namespaceOf(pod)}(${textOf(pod, "metadata", "uid")})`;
  const suffix = `restarting failed container=${name} pod=${podId}`;
  const delaySeconds = restartDelayMs(restartCountOf(pod)) / 1000;
  return {
    notes: [
      {
        type: "Warning",
        reason: "BackOff",
        message: `Back-off restarting failed container ${name} in pod ${podId}`,
        container: name,
      },
    ],
    change(draft) {
      const before = statusOfContainer(pod, name) ?? {};
      const message = `back-off ${delaySeconds < 60 ? `${delaySeconds}s` : `${Math.floor(delaySeconds / 60)}m${delaySeconds % 60}s`} ${suffix}`;
      const names = new Set(others.map((each) => textOf(each, "name")));
      const rest = objectsAt(pod, "status", "containerStatuses").filter((each) => names.has(textOf(each, "name")));
      setContainerStatuses(draft, [
        backOffStatus(pod, failing, how, { before, message }),
        ...rest.map((each) => copyJson(each)),
      ]);
      setPodConditions(draft, nowMs, { hasSandbox: true });
    },
  };
}

/** Restarts a crashed container after its back-off; at once if it would no longer crash. */
function restart(pod: JsonObject, { nowMs, troubles }: PodSituation): PodStep {
  const [failing] = containersOf(pod);
  const name = failing === undefined ? "" : textOf(failing, "name");
  const before = statusOfContainer(pod, name);
  if (failing === undefined || before === undefined) return {};
  const endedAtMs = timeAt(before, "lastState", "terminated", "finishedAt") ?? nowMs;
  const crashesAgain = troubles.has("crash-loop") || planPod(pod, 0).exitCode !== 0;
  const leftMs = crashesAgain ? endedAtMs + restartDelayMs(restartCountOf(pod)) - nowMs : 0;
  if (leftMs > 0) return { waitMs: leftMs };
  return {
    notes: pullEvents(failing, 0),
    change(draft) {
      const statuses = objectsAt(pod, "status", "containerStatuses").map((each) =>
        each === before ? runningStatus(pod, failing, nowMs, before) : copyJson(each),
      );
      setContainerStatuses(draft, statuses);
      setPodConditions(draft, nowMs, { hasSandbox: true });
    },
  };
}
