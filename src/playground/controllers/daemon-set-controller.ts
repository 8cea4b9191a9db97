// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, objectAt, objectsAt, textOf, valueAt } from "../../apiserver/json/json-fields.ts";
import { claimObjects } from "./claim-objects.ts";
import { ensureRevision, hashOf, revisionHashLabel } from "./controller-revisions.ts";
import { toCount } from "./deployment/rollout-plan.ts";
import { makePod } from "./make-pod.ts";
import { isTerminating, labelsOf, nameOf, namespaceOf, withoutEmpty } from "./object-parts.ts";
import { createPods, deletePods } from "./owned-pods.ts";
import { controllerKey, ownerKinds } from "./owner.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";
import { isActive, isFinished, isReady, tallyPods } from "./pod-facts.ts";
import { updateStatus } from "./update-status.ts";

const kind = ownerKinds.daemonSet;

/** Tolerations of DaemonSet Pods, which stay on their node whatever its state. */
const tolerations: readonly DraftObject[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

/** DaemonSets: one Pod on every node that the template's node selector allows. */
export function createDaemonSetController(context: ControllerContext): PlaygroundController {
  const { client, clock } = context;
  return {
    name: "daemonset",
    resource: kind.resource,
    watches: {
      pods: ({ object }) => [controllerKey(object, kind)],
      nodes: ({ type }) =>
        type === "MODIFIED"
          ? []
          : client.objects.list(kind.resource).map((set) => `${namespaceOf(set)}/${nameOf(set)}`),
    },
    async reconcile({ namespace, name }) {
      const set = client.objects.get(kind.resource, namespace, name);
      if (set === undefined) return {};
      const selector = valueAt(set, "spec", "selector");
      const claim = (): Promise<readonly JsonObject[]> => claimObjects(client, "pods", { kind, object: set, selector });
      const pods = await claim();
      const { hash } = await ensureRevision(client, kind, set, new Set(pods.map(hashOf)));
      const nodes = client.objects
        .list("nodes")
        .filter((node) => isWanted(set, node))
        .map(nameOf);
      if (!isTerminating(set)) await takeStep(context, set, { nodes, pods, hash });
      const after = (await claim()).filter(isActive);
      const nowMs = clock.wallMs();
      const tally = tallyPods(after, countOf(set, "spec", "minReadySeconds"), nowMs);
      await updateStatus(client, kind.resource, set, (draft) =>
        setStatus(draft, { pods: after, nodes, hash, ...tally }),
      );
      return tally.nextAvailableInMs === undefined ? {} : { retryAfterMs: tally.nextAvailableInMs };
    },
  };
}

function isWanted(set: JsonObject, node: JsonObject): boolean {
  const labels = labelsOf(node);
  const wanted = Object.entries(objectAt(set, "spec", "template", "spec", "nodeSelector") ?? {});
  return wanted.every(([key, value]) => labels[key] === value);
}

interface DaemonState {
  readonly nodes: readonly string[];
  readonly pods: readonly JsonObject[];
  readonly hash: string;
}

async function takeStep(
  context: ControllerContext,
  set: JsonObject,
  { nodes, pods, hash }: DaemonState,
): Promise<void> {
  const owner = { kind, object: set, component: "daemonset-controller" };
  const byNode = new Map<string, JsonObject>();
  const surplus: JsonObject[] = [];
  for (const pod of pods) {
    const node = textOf(pod, "spec", "nodeName");
    const isSurplus = !nodes.includes(node) || byNode.has(node) || isFinished(pod);
    if (isSurplus && !isTerminating(pod)) surplus.push(pod);
    else byNode.set(node, pod);
  }
  await deletePods(context, owner, surplus);
  const missing = nodes.filter((node) => !byNode.has(node));
  await createPods(
    context,
    owner,
    missing.map((node) => makeDaemonPod(set, node, hash)),
  );
  if (missing.length > 0 || textOf(set, "spec", "updateStrategy", "type") === "OnDelete") return;
  const maxUnavailable = valueAt(set, "spec", "updateStrategy", "rollingUpdate", "maxUnavailable");
  const limit = Math.max(1, toCount(maxUnavailable ?? 1, nodes.length, Math.ceil));
  const unavailable = [...byNode.values()].filter((pod) => !isReady(pod) || isTerminating(pod));
  const old = [...byNode.values()].filter((pod) => hashOf(pod) !== hash && !isTerminating(pod));
  const oldUnready = old.filter((pod) => !isReady(pod));
  const budget = Math.max(0, limit - unavailable.length);
  const oldReady = old.filter(isReady).slice(0, budget);
  await deletePods(context, owner, [...oldUnready, ...oldReady]);
}

function makeDaemonPod(set: JsonObject, node: string, hash: string): DraftObject {
  const generation = countOf(set, "metadata", "generation");
  return makePod({
    kind,
    owner: set,
    template: objectAt(set, "spec", "template") ?? {},
    labels: { [revisionHashLabel]: hash, "pod-template-generation": String(generation) },
    changeSpec(spec) {
      spec["nodeName"] = node;
      spec["tolerations"] = [...objectsAt(spec, "tolerations").map((each) => ({ ...each })), ...tolerations];
    },
  });
}

function setStatus(
  draft: DraftObject,
  state: DaemonState & { readonly readyCount: number; readonly availableCount: number },
): void {
  const { pods, nodes, hash, readyCount, availableCount } = state;
  const wanted = new Set(nodes);
  const placed = pods.filter((pod) => wanted.has(textOf(pod, "spec", "nodeName")));
  draft["status"] = {
    currentNumberScheduled: placed.length,
    numberMisscheduled: pods.length - placed.length,
    desiredNumberScheduled: nodes.length,
    numberReady: readyCount,
    ...withoutEmpty({
      observedGeneration: countOf(draft, "metadata", "generation"),
      updatedNumberScheduled: placed.filter((pod) => hashOf(pod) === hash).length,
      numberAvailable: availableCount,
      numberUnavailable: Math.max(0, nodes.length - availableCount),
    }),
  };
}
