// SPDX-License-Identifier: Apache-2.0
import { type Draft, type DraftObject, ensureObject, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, objectsAt, textAt, textOf } from "../../apiserver/json/json-fields.ts";
import { formatTime } from "../../apiserver/schema-decode/go-time.ts";
import { setCondition } from "./object-conditions.ts";
import { countAt, nameOf, namespaceOf, uidOf } from "./object-parts.ts";
import { ownerKinds } from "./owner.ts";
import type { ControllerContext, KeysOfChange, PlaygroundController } from "./playground-controller.ts";
import { hashText } from "./stable-hash.ts";
import { updateStatus } from "./update-status.ts";

const autoscalers = "autoscaling/horizontalpodautoscalers";
const targets = [ownerKinds.deployment, ownerKinds.statefulSet, ownerKinds.replicaSet];

/**
 * Keeps the target of each HorizontalPodAutoscaler between its limits. The reported load is made up and never above the
 * target.
 */
export function createAutoscalerController({ client, clock }: ControllerContext): PlaygroundController {
  const { objects } = client;
  const pointingAt: KeysOfChange = ({ namespace, name }) =>
    objects
      .list(autoscalers, namespace)
      .filter((each) => textOf(each, "spec", "scaleTargetRef", "name") === name)
      .map((each) => `${namespace}/${nameOf(each)}`);
  return {
    name: "autoscaler",
    resource: autoscalers,
    watches: Object.fromEntries(targets.map(({ resource }) => [resource, pointingAt])),
    async reconcile({ namespace, name }) {
      const object = objects.get(autoscalers, namespace, name);
      if (object === undefined) return {};
      const kind = targets.find((each) => each.kind === textAt(object, "spec", "scaleTargetRef", "kind"));
      const targetName = textOf(object, "spec", "scaleTargetRef", "name");
      const target = kind === undefined ? undefined : objects.get(kind.resource, namespace, targetName);
      const current = target === undefined ? 0 : (countAt(target, "spec", "replicas") ?? 1);
      const least = countAt(object, "spec", "minReplicas") ?? 1;
      const desired = current === 0 ? 0 : Math.min(Math.max(current, least), countOf(object, "spec", "maxReplicas"));
      if (kind !== undefined && target !== undefined && desired !== current)
        await client.update({ resource: kind.resource, namespace: namespaceOf(target), name: targetName }, (draft) => {
          ensureObject(draft, "spec")["replicas"] = desired;
        });
      await updateStatus(client, autoscalers, object, (draft) =>
        setStatus(draft, { current, desired, isFound: target !== undefined, nowMs: clock.wallMs() }),
      );
      return {};
    },
  };
}

interface ScaleState {
  readonly current: number;
  readonly desired: number;
  readonly isFound: boolean;
  readonly nowMs: number;
}

function setStatus(draft: DraftObject, { current, desired, isFound, nowMs }: ScaleState): void {
  const status = ensureObject(draft, "status");
  status["currentReplicas"] = current;
  status["desiredReplicas"] = desired;
  status["observedGeneration"] = countOf(draft, "metadata", "generation");
  if (current !== desired) status["lastScaleTime"] = formatTime(nowMs);
  if (!isFound) {
    const message = "the HPA controller was unable to get the target's current scale: not found";
    setCondition(draft, { type: "AbleToScale", status: "False", reason: "FailedGetScale", message }, nowMs);
    return;
  }
  const metrics = objectsAt(draft, "spec", "metrics").flatMap((metric): Draft[] => {
    const name = textOf(metric, "resource", "name");
    const wanted = countAt(metric, "resource", "target", "averageUtilization");
    if (name === "" || wanted === undefined) return [];
    return [{ type: "Resource", resource: { name, current: { averageUtilization: loadOf(draft, name, wanted) } } }];
  });
  if (metrics.length > 0) status["currentMetrics"] = metrics;
  const able = "recommended size matches current size";
  setCondition(draft, { type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: able }, nowMs);
  const active = "the HPA was able to successfully calculate a replica count";
  setCondition(draft, { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message: active }, nowMs);
  const within = "the desired count is within the acceptable range";
  setCondition(
    draft,
    { type: "ScalingLimited", status: "False", reason: "DesiredWithinRange", message: within },
    nowMs,
  );
}

/** A load below the target, constant for one autoscaler. */
function loadOf(object: JsonObject, resource: string, wanted: number): number {
  return Math.max(1, Math.floor((wanted * (50 + (hashText(`${uidOf(object)} ${resource}`) % 45))) / 100));
}
