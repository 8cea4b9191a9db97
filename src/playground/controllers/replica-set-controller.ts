// SPDX-License-Identifier: Apache-2.0
import { type Json, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, objectAt, valueAt } from "../../apiserver/json/json-fields.ts";
import { createLabelMatcher } from "../../apiserver/metadata/label-selector-object.ts";
import type { Outcome } from "../../base/queues/keyed-queue.ts";
import { claimObjects } from "./claim-objects.ts";
import { makePod } from "./make-pod.ts";
import { dropCondition, setCondition } from "./object-conditions.ts";
import { conditionOf, countAt, isTerminating, labelsOf, withoutEmpty } from "./object-parts.ts";
import { createPods, deletePods } from "./owned-pods.ts";
import { controllerKey, type OwnerKind, ownerKinds } from "./owner.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";
import { byExpendability, isActive, isFinished, tallyPods } from "./pod-facts.ts";
import { updateStatus } from "./update-status.ts";

/** Most Pods that one ReplicaSet creates or deletes at once: Kubernetes' burst. */
const burst = 500;

/** ReplicaSets: keeps the desired number of Pods. */
export function createReplicaSetController(context: ControllerContext): PlaygroundController {
  return createReplicaController(context, {
    kind: ownerKinds.replicaSet,
    component: "replicaset-controller",
    selectorOf: (object) => valueAt(object, "spec", "selector"),
  });
}

/** ReplicationControllers: the same with a label map as selector. */
export function createReplicationController(context: ControllerContext): PlaygroundController {
  return createReplicaController(context, {
    kind: ownerKinds.replicationController,
    component: "replication-controller",
    selectorOf: (object) => ({ matchLabels: objectAt(object, "spec", "selector") ?? {} }),
  });
}

interface ReplicaKind {
  readonly kind: OwnerKind;
  readonly component: string;
  readonly selectorOf: (object: JsonObject) => Json | undefined;
}

function createReplicaController(context: ControllerContext, replica: ReplicaKind): PlaygroundController {
  const { client } = context;
  const { kind, component, selectorOf } = replica;
  return {
    name: kind.kind.toLowerCase(),
    resource: kind.resource,
    watches: { pods: ({ object }) => [controllerKey(object, kind)] },
    async reconcile({ namespace, name }) {
      const object = client.objects.get(kind.resource, namespace, name);
      if (object === undefined) return {};
      const selector = selectorOf(object);
      const claim = (): Promise<readonly JsonObject[]> => claimObjects(client, "pods", { kind, object, selector });
      const active = (await claim()).filter(isActive);
      const missing = (countAt(object, "spec", "replicas") ?? 1) - active.length;
      const owner = { kind, object, component };
      let failure: unknown;
      if (!isTerminating(object) && missing > 0) {
        const template = objectAt(object, "spec", "template") ?? {};
        const pods = Array.from({ length: Math.min(missing, burst) }, () => makePod({ kind, owner: object, template }));
        failure = await createPods(context, owner, pods).then(
          () => undefined,
          (reason: unknown) => reason,
        );
      } else if (!isTerminating(object) && missing < 0) {
        await deletePods(context, owner, byExpendability(active).slice(0, Math.min(-missing, burst)));
      }
      const outcome = await writeStatus(context, kind, object, await claim(), failure);
      if (failure !== undefined) throw failure;
      return outcome;
    },
  };
}

async function writeStatus(
  { client, clock }: ControllerContext,
  kind: OwnerKind,
  object: JsonObject,
  claimed: readonly JsonObject[],
  failure: unknown,
): Promise<Outcome> {
  const nowMs = clock.wallMs();
  const pods = claimed.filter(isActive);
  const terminatingReplicas = claimed.filter((pod) => isTerminating(pod) && !isFinished(pod)).length;
  const tally = tallyPods(pods, countOf(object, "spec", "minReadySeconds"), nowMs);
  const templateLabels = { matchLabels: objectAt(object, "spec", "template", "metadata", "labels") ?? {} };
  const matches = createLabelMatcher(templateLabels);
  await updateStatus(client, kind.resource, object, (draft) => {
    const conditions = valueAt(draft, "status", "conditions");
    draft["status"] = {
      replicas: pods.length,
      ...withoutEmpty({
        fullyLabeledReplicas: pods.filter((pod) => matches(labelsOf(pod))).length,
        readyReplicas: tally.readyCount,
        availableReplicas: tally.availableCount,
        observedGeneration: countOf(object, "metadata", "generation"),
      }),
      // Only ReplicaSets have this field, and unlike the other counts it is written when 0.
      ...(kind === ownerKinds.replicaSet ? { terminatingReplicas } : {}),
      ...(conditions === undefined ? {} : { conditions }),
    };
    // The first message is kept: each refusal names another generated Pod name.
    if (failure !== undefined && conditionOf(draft, "ReplicaFailure") === undefined) {
      const message = failure instanceof Error ? failure.message : "";
      setCondition(draft, { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message }, nowMs);
    } else if (failure === undefined) dropCondition(draft, "ReplicaFailure");
  });
  return tally.nextAvailableInMs === undefined ? {} : { retryAfterMs: tally.nextAvailableInMs };
}
