// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, getKey, isList, type JsonObject } from "../../../apiserver/json/json.ts";
import { objectsAt, textOf } from "../../../apiserver/json/json-fields.ts";
import { type ConditionValue, setCondition } from "../object-conditions.ts";
import { countAt } from "../object-parts.ts";

/** Sets a Pod's condition as kubelets write it, with an empty probe time. */
export function setPodCondition(draft: DraftObject, condition: ConditionValue, nowMs: number): void {
  setCondition(draft, condition, nowMs, { more: { lastProbeTime: null } });
}

/** Derives the conditions from the container statuses in the draft. */
export function setPodConditions(draft: DraftObject, nowMs: number, options: { readonly hasSandbox: boolean }): void {
  const { hasSandbox } = options;
  const isDone = textOf(draft, "status", "phase") === "Succeeded";
  const unready = objectsAt(draft, "status", "containerStatuses")
    .filter((each) => each["ready"] !== true)
    .map((each) => textOf(each, "name"));
  const hasRun = objectsAt(draft, "status", "containerStatuses").length > 0 && hasSandbox;
  const isInitialized = hasRun || objectsAt(draft, "spec", "initContainers").length === 0;
  const set = (condition: ConditionValue): void => setPodCondition(draft, condition, nowMs);
  const readiness: Omit<ConditionValue, "type"> =
    unready.length === 0
      ? { status: "True" }
      : isDone
        ? { status: "False", reason: "PodCompleted" }
        : {
            status: "False",
            reason: "ContainersNotReady",
            message: `containers with unready status: [${unready.join(" ")}]`,
          };
  set({ type: "PodReadyToStartContainers", status: hasSandbox && !isDone ? "True" : "False" });
  set(
    isInitialized
      ? { type: "Initialized", status: "True", ...(isDone ? { reason: "PodCompleted" } : {}) }
      : { type: "Initialized", status: "False", reason: "ContainersNotInitialized" },
  );
  set({ type: "Ready", ...readiness });
  set({ type: "ContainersReady", ...readiness });
  set({ type: "PodScheduled", status: "True" });
  const generation = countAt(draft, "metadata", "generation");
  if (generation !== undefined) ensureObject(draft, "status")["observedGeneration"] = generation;
}

/** The status of one container by its name. */
export function statusOfContainer(pod: JsonObject, name: string): JsonObject | undefined {
  return objectsAt(pod, "status", "containerStatuses").find((each) => textOf(each, "name") === name);
}

/** Replaces all container statuses. */
export function setContainerStatuses(draft: DraftObject, statuses: DraftObject[]): void {
  ensureObject(draft, "status")["containerStatuses"] = statuses;
}

/** Marks every container ready. */
export function markContainersReady(draft: DraftObject): void {
  const statuses = getKey(ensureObject(draft, "status"), "containerStatuses");
  if (!isList(statuses)) return;
  for (const each of statuses) if (typeof each === "object" && each !== null && !isList(each)) each["ready"] = true;
}
