// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf } from "../../../apiserver/json/json-fields.ts";
import type { Outcome } from "../../../base/queues/keyed-queue.ts";
import { isTerminating, nameOf, namespaceOf, timeAt, uidOf } from "../object-parts.ts";
import { workloadNameOf } from "../owner.ts";
import { type ControllerContext, type PlaygroundController, soonest } from "../playground-controller.ts";
import { isFinished } from "../pod-facts.ts";
import { isNodeLost, isTroubleChange, listTroubles, type TroubleName } from "../trouble-list.ts";
import { updateStatus } from "../update-status.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { nextPodStep } from "./pod-life.ts";
import { planPod } from "./pod-plan.ts";
import type { PodNote } from "./pod-step.ts";

/**
 * All kubelets of the cluster: Pods on nodes start, become ready, crash, finish and are deleted. Pods of a lost node do
 * not change.
 */
export function createKubeletController(context: ControllerContext): PlaygroundController {
  const { client, clock } = context;
  const { objects } = client;
  const addresses = new PodAddresses(objects);
  return {
    name: "kubelet",
    resource: "pods",
    watches: {
      configmaps: (change) => (isTroubleChange(change) ? allPodKeys(context) : []),
    },
    async reconcile({ namespace, name }) {
      const pod = objects.get("pods", namespace, name);
      const node = pod === undefined ? "" : textOf(pod, "spec", "nodeName");
      if (pod === undefined || node === "" || isNodeLost(objects, node)) return {};
      if (isTerminating(pod)) return await stopPod(context, pod, node);
      if (isFinished(pod)) return {};
      const step = nextPodStep(pod, {
        nowMs: clock.wallMs(),
        hostIp: hostIpOf(objects.get("nodes", "", node)),
        podIp: () => textOf(pod, "status", "podIP") || addresses.take(node, uidOf(pod)),
        troubles: troublesOf(context, pod),
      });
      const wait: Outcome = step.waitMs === undefined ? {} : { retryAfterMs: step.waitMs };
      if (step.change === undefined) return wait;
      try {
        await updateStatus(client, "pods", pod, step.change);
      } finally {
        addresses.settle(uidOf(pod));
      }
      for (const note of step.notes ?? []) await recordNote(context, pod, node, note);
      // The write triggers the next reconcile; only steps that wait for time are scheduled here.
      return soonest(wait);
    },
  };
}

function allPodKeys({ client }: ControllerContext): readonly string[] {
  return client.objects.list("pods").map((pod) => `${namespaceOf(pod)}/${nameOf(pod)}`);
}

function troublesOf({ client }: ControllerContext, pod: JsonObject): ReadonlySet<TroubleName> {
  const listed = listTroubles(client.objects).filter(({ namespace }) => namespace === namespaceOf(pod));
  if (listed.length === 0) return new Set();
  const workload = workloadNameOf(client.objects, pod);
  return new Set(listed.filter(({ name }) => name === workload || name === nameOf(pod)).map(({ trouble }) => trouble));
}

function hostIpOf(node: JsonObject | undefined): string {
  const addresses = node === undefined ? [] : objectsAt(node, "status", "addresses");
  return textOf(addresses.find((each) => textOf(each, "type") === "InternalIP") ?? {}, "address");
}

/** Deletes a Pod after a shortened grace period. */
async function stopPod(context: ControllerContext, pod: JsonObject, node: string): Promise<Outcome> {
  const { client, clock } = context;
  const graceMs = countOf(pod, "metadata", "deletionGracePeriodSeconds") * 1000;
  const askedAtMs = (timeAt(pod, "metadata", "deletionTimestamp") ?? 0) - graceMs;
  const leftMs = askedAtMs + Math.min(graceMs, planPod(pod, 0).stopMs) - clock.wallMs();
  if (leftMs > 0) return { retryAfterMs: leftMs };
  for (const status of objectsAt(pod, "status", "containerStatuses")) {
    const container = textOf(status, "name");
    const message = `Stopping container ${container}`;
    await recordNote(context, pod, node, { type: "Normal", reason: "Killing", message, container });
  }
  const ref = { resource: "pods", namespace: namespaceOf(pod), name: nameOf(pod) };
  await client.delete(ref, { uid: uidOf(pod), graceSeconds: 0 });
  return {};
}

async function recordNote({ events }: ControllerContext, pod: JsonObject, node: string, note: PodNote): Promise<void> {
  const { container, ...content } = note;
  await events.record(
    { apiVersion: "v1", kind: "Pod", object: pod },
    {
      ...content,
      component: "kubelet",
      host: node,
      ...(container === undefined ? {} : { fieldPath: `spec.containers{${container}}` }),
    },
  );
}
