// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../../apiserver/controllers/cluster-client.ts";
import { ensureObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { countOf, textOf, valueAt } from "../../../apiserver/json/json-fields.ts";
import { claimObjects } from "../claim-objects.ts";
import { countAt, isTerminating, nameOf, namespaceOf, uidOf } from "../object-parts.ts";
import { controllerKey, ownedBy, ownerKinds } from "../owner.ts";
import type { ControllerContext, PlaygroundController } from "../playground-controller.ts";
import { isFinished } from "../pod-facts.ts";
import { hasSameSpec, updateStatus } from "../update-status.ts";
import { countReplicas, deadlineInMs, isComplete, setDeploymentStatus } from "./deployment-status.ts";
import {
  findCurrentSet,
  isScaled,
  makeReplicaSet,
  markCurrent,
  markScale,
  revisionAnnotation,
  revisionOf,
} from "./revisions.ts";
import {
  limitsOf,
  planProportional,
  planRecreate,
  planRollingUpdate,
  type Scaling,
  toRolloutSet,
} from "./rollout-plan.ts";

const sets = ownerKinds.replicaSet.resource;

/** Deployments: one ReplicaSet for each template they had, and the rollout from one to the next. */
export function createDeploymentController(context: ControllerContext): PlaygroundController {
  const { client, clock } = context;
  const kind = ownerKinds.deployment;
  return {
    name: "deployment",
    resource: kind.resource,
    watches: {
      [sets]: ({ object }) => [controllerKey(object, kind)],
      // A Recreate rollout waits until the last Pod of the old template is gone.
      pods: ({ type, object }) => (type === "DELETED" ? [deploymentKeyOfPod(client.objects, object)] : []),
    },
    async reconcile({ namespace, name }) {
      const deployment = client.objects.get(kind.resource, namespace, name);
      if (deployment === undefined) return {};
      const selector = valueAt(deployment, "spec", "selector");
      const claim = (): Promise<readonly JsonObject[]> =>
        claimObjects(client, sets, { kind, object: deployment, selector });
      if (!isTerminating(deployment)) await advanceRollout(context, deployment, await claim());
      const owned = await claim();
      const newest = client.objects.get(kind.resource, namespace, name);
      if (newest === undefined || !hasSameSpec(newest, deployment)) return {};
      const current = findCurrentSet(newest, owned);
      const counts = countReplicas(current, owned);
      const nowMs = clock.wallMs();
      const written = await updateStatus(client, kind.resource, newest, (draft) =>
        setDeploymentStatus(draft, current, counts, nowMs),
      );
      if (written === undefined || isTerminating(written)) return {};
      if (isComplete(written, counts)) await dropOldSets(context, written, current, owned);
      const retryAfterMs = deadlineInMs(written, nowMs);
      return retryAfterMs === undefined ? {} : { retryAfterMs };
    },
  };
}

function deploymentKeyOfPod(objects: ControllerContext["client"]["objects"], pod: JsonObject): string | undefined {
  const key = controllerKey(pod, ownerKinds.replicaSet);
  const set = key === undefined ? undefined : objects.get(sets, namespaceOf(pod), key.slice(key.indexOf("/") + 1));
  return set === undefined ? undefined : controllerKey(set, ownerKinds.deployment);
}

/** One step towards the Deployment's template and replica count. */
async function advanceRollout(
  context: ControllerContext,
  deployment: JsonObject,
  owned: readonly JsonObject[],
): Promise<void> {
  const found = findCurrentSet(deployment, owned);
  const others = owned.filter((set) => set !== found);
  const limits = limitsOf(deployment);
  const active = owned.filter((set) => (countAt(set, "spec", "replicas") ?? 1) > 0);
  if (active.some((set) => isScaled(deployment, set))) {
    const surge = active.length > 1 && limits.replicas > 0 ? limits.maxSurge : 0;
    const plan = planProportional(active.map(toRolloutSet), limits.replicas + surge);
    await scaleSets(context, deployment, plan, active);
    if (plan.length > 0) return;
  }
  if (valueAt(deployment, "spec", "paused") === true) return;
  const current = await ensureCurrentSet(context, deployment, found, others);
  if (current === undefined) return;
  const old = others.map(toRolloutSet);
  if (textOf(deployment, "spec", "strategy", "type") !== "Recreate") {
    await scaleSets(context, deployment, planRollingUpdate(toRolloutSet(current), old, limits), []);
    return;
  }
  const oldPodCount = others.reduce(
    (sum, set) => sum + ownedBy(context.client.objects, "pods", set).filter((pod) => !isFinished(pod)).length,
    0,
  );
  const plan = planRecreate(toRolloutSet(current), old, { replicas: limits.replicas, oldPodCount });
  await scaleSets(context, deployment, plan, []);
}

/**
 * The ReplicaSet of the current template, created or annotated with the newest revision. Undefined if its name is
 * taken: the next reconcile uses another name.
 */
async function ensureCurrentSet(
  context: ControllerContext,
  deployment: JsonObject,
  found: JsonObject | undefined,
  others: readonly JsonObject[],
): Promise<JsonObject | undefined> {
  const { client } = context;
  const highest = Math.max(0, ...others.map(revisionOf));
  const revision = found !== undefined && revisionOf(found) > highest ? revisionOf(found) : highest + 1;
  const ref = {
    resource: ownerKinds.deployment.resource,
    namespace: namespaceOf(deployment),
    name: nameOf(deployment),
  };
  let current: JsonObject | undefined;
  if (found !== undefined) {
    const minReadySeconds = countOf(deployment, "spec", "minReadySeconds");
    current = await client.update({ resource: sets, namespace: namespaceOf(found), name: nameOf(found) }, (draft) => {
      markCurrent(draft, deployment, revision);
      if (countOf(draft, "spec", "minReadySeconds") !== minReadySeconds)
        ensureObject(draft, "spec")["minReadySeconds"] = minReadySeconds;
    });
  } else {
    try {
      current = await client.create(sets, makeReplicaSet(deployment, revision));
    } catch (reason) {
      if (!isRefusal(reason, "AlreadyExists")) throw reason;
      await client.update(
        ref,
        (draft) => {
          const status = ensureObject(draft, "status");
          status["collisionCount"] = countOf(status, "collisionCount") + 1;
        },
        "status",
      );
      return undefined;
    }
  }
  // Written through the status, as the real controller does: an annotation written with the object would increase its
  // generation.
  await client.update(
    ref,
    (draft) => {
      ensureObject(ensureObject(draft, "metadata"), "annotations")[revisionAnnotation] = String(revision);
    },
    "status",
  );
  return current;
}

/**
 * Writes the planned replica counts. ReplicaSets in `noted` get the Deployment's desired count as annotation even if
 * theirs stays the same.
 */
async function scaleSets(
  { client, events }: ControllerContext,
  deployment: JsonObject,
  plan: readonly Scaling[],
  noted: readonly JsonObject[],
): Promise<void> {
  const wanted = new Map(plan.map(({ object, replicas }) => [nameOf(object), replicas]));
  const namespace = namespaceOf(deployment);
  for (const name of new Set([...wanted.keys(), ...noted.map(nameOf)])) {
    const before = client.objects.get(sets, namespace, name);
    if (before === undefined) continue;
    const from = countAt(before, "spec", "replicas") ?? 1;
    const to = wanted.get(name) ?? from;
    await client.update({ resource: sets, namespace, name }, (draft) => {
      ensureObject(draft, "spec")["replicas"] = to;
      markScale(draft, deployment);
    });
    if (from === to) continue;
    await events.record(
      { ...ownerKinds.deployment, object: deployment },
      {
        type: "Normal",
        reason: "ScalingReplicaSet",
        message: `Scaled ${to > from ? "up" : "down"} replica set ${name} from ${from} to ${to}`,
        component: "deployment-controller",
      },
    );
  }
}

/** Deletes old ReplicaSets above `revisionHistoryLimit`, the oldest first. */
async function dropOldSets(
  { client }: ControllerContext,
  deployment: JsonObject,
  current: JsonObject | undefined,
  owned: readonly JsonObject[],
): Promise<void> {
  const limit = countAt(deployment, "spec", "revisionHistoryLimit") ?? 10;
  const old = owned
    .filter((set) => set !== current && !isTerminating(set))
    .sort((a, b) => revisionOf(a) - revisionOf(b));
  for (const set of old.slice(0, Math.max(0, old.length - limit))) {
    if (countOf(set, "status", "replicas") !== 0 || (countAt(set, "spec", "replicas") ?? 1) !== 0) continue;
    await client.delete({ resource: sets, namespace: namespaceOf(set), name: nameOf(set) }, { uid: uidOf(set) });
  }
}
