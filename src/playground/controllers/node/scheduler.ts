// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../../apiserver/json/json.ts";
import { objectAt, objectsAt, textOf } from "../../../apiserver/json/json-fields.ts";
import type { ObjectReader } from "../../../apiserver/resources/object-reader.ts";
import { setPodCondition } from "../kubelet/pod-conditions.ts";
import { isConditionTrue, isTerminating, labelsOf, nameOf, namespaceOf, uidOf } from "../object-parts.ts";
import type { ControllerContext, PlaygroundController } from "../playground-controller.ts";
import { isActive, isFinished } from "../pod-facts.ts";
import { updateStatus } from "../update-status.ts";

/** Pod capacity of a node that does not report one: the kubelet's default. */
const defaultPodCount = 110;

/** Binds each unbound Pod to the suitable node with the most free Pod slots. Only the Pod count limits a node. */
export function createScheduler(context: ControllerContext): PlaygroundController {
  const { client, clock, events } = context;
  const { objects } = client;
  /** Nodes of Pods whose binding is being written. They count already. */
  const assumed = new Map<string, string>();
  const waiting = (): readonly string[] =>
    objects
      .list("pods")
      .filter(isUnbound)
      .map((pod) => `${namespaceOf(pod)}/${nameOf(pod)}`);
  return {
    name: "scheduler",
    resource: "pods",
    watches: { nodes: waiting },
    async reconcile({ namespace, name }) {
      const pod = objects.get("pods", namespace, name);
      if (pod === undefined || !isUnbound(pod)) return {};
      const subject = { apiVersion: "v1", kind: "Pod", object: pod };
      const node = chooseNode(objects, pod, assumed);
      const nowMs = clock.wallMs();
      const component = "default-scheduler";
      if (node === undefined) {
        const message = unschedulableMessage(objects, pod);
        const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message } as const;
        const written = await updateStatus(client, "pods", pod, (draft) => setPodCondition(draft, condition, nowMs));
        if (written !== pod)
          await events.record(subject, { type: "Warning", reason: "FailedScheduling", message, component });
        return { retryAfterMs: 30_000 };
      }
      assumed.set(uidOf(pod), node);
      try {
        const isBound = await client.bindPod(namespace, name, node);
        if (!isBound) return {};
      } finally {
        assumed.delete(uidOf(pod));
      }
      const message = `Successfully assigned ${namespace}/${name} to ${node}`;
      await events.record(subject, { type: "Normal", reason: "Scheduled", message, component });
      return {};
    },
  };
}

function isUnbound(pod: JsonObject): boolean {
  return (
    textOf(pod, "spec", "nodeName") === "" &&
    !isTerminating(pod) &&
    !isFinished(pod) &&
    objectsAt(pod, "spec", "schedulingGates").length === 0
  );
}

function chooseNode(objects: ObjectReader, pod: JsonObject, assumed: ReadonlyMap<string, string>): string | undefined {
  const counts = new Map<string, number>();
  const count = (node: string): void => void counts.set(node, (counts.get(node) ?? 0) + 1);
  for (const other of objects.list("pods")) if (isActive(other)) count(textOf(other, "spec", "nodeName"));
  for (const node of assumed.values()) count(node);
  const fitting = objects
    .list("nodes")
    .filter((node) => unsuitableReason(node, pod) === undefined)
    .map((node) => ({ name: nameOf(node), free: podLimit(node) - (counts.get(nameOf(node)) ?? 0) }))
    .filter(({ free }) => free > 0);
  return fitting.sort((a, b) => b.free - a.free || (a.name < b.name ? -1 : 1))[0]?.name;
}

function podLimit(node: JsonObject): number {
  return Number(textOf(node, "status", "allocatable", "pods")) || defaultPodCount;
}

/** Why a Pod cannot be placed on a node, in the real scheduler's words; undefined if it can. */
function unsuitableReason(node: JsonObject, pod: JsonObject): string | undefined {
  if (
    objectAt(node, "spec")?.["unschedulable"] === true &&
    !tolerates(pod, { key: "node.kubernetes.io/unschedulable" })
  )
    return "node(s) were unschedulable";
  const labels = labelsOf(node);
  const wanted = Object.entries(objectAt(pod, "spec", "nodeSelector") ?? {});
  if (wanted.some(([key, value]) => labels[key] !== value)) return "node(s) didn't match Pod's node affinity/selector";
  const untolerated = objectsAt(node, "spec", "taints").find(
    (taint) => textOf(taint, "effect") !== "PreferNoSchedule" && !tolerates(pod, taint),
  );
  if (untolerated !== undefined) return `node(s) had untolerated taint(s)`;
  return isConditionTrue(node, "Ready") ? undefined : "node(s) were not ready";
}

/** Whether one of the Pod's tolerations matches the taint. */
export function tolerates(pod: JsonObject, taint: JsonObject): boolean {
  return objectsAt(pod, "spec", "tolerations").some((each) => {
    const key = textOf(each, "key");
    const effect = textOf(each, "effect");
    if (effect !== "" && effect !== textOf(taint, "effect")) return false;
    if (key === "") return textOf(each, "operator") === "Exists";
    if (key !== textOf(taint, "key")) return false;
    return textOf(each, "operator") === "Exists" || textOf(each, "value") === textOf(taint, "value");
  });
}

function unschedulableMessage(objects: ObjectReader, pod: JsonObject): string {
  const nodes = objects.list("nodes");
  const reasons = new Map<string, number>();
  for (const node of nodes) {
    const reason = unsuitableReason(node, pod) ?? "Too many pods";
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const list = [...reasons]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
  return nodes.length === 0 ? "no nodes available to schedule pods" : `0/${nodes.length} nodes are available: ${list}.`;
}
