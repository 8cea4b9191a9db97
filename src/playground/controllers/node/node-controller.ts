// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../../apiserver/controllers/cluster-client.ts";
import { type DraftObject, ensureObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { listAt, objectsAt, textOf } from "../../../apiserver/json/json-fields.ts";
import { formatTime } from "../../../apiserver/schema-decode/go-time.ts";
import type { Outcome } from "../../../base/queues/keyed-queue.ts";
import { type ConditionValue, setCondition } from "../object-conditions.ts";
import { conditionOf, nameOf, timeAt, uidOf } from "../object-parts.ts";
import type { ControllerContext, PlaygroundController } from "../playground-controller.ts";
import { hashText } from "../stable-hash.ts";
import { isNodeLost, isTroubleChange } from "../trouble-list.ts";
import { updateStatus } from "../update-status.ts";

const leases = "coordination.k8s.io/leases";
const leaseNamespace = "kube-node-lease";

/**
 * Time between heartbeats; jitter adds up to a quarter. Four times the kubelet's, because fifty clusters share one
 * machine.
 */
const heartbeatMs = 40_000;

/** A kubelet writes its node's status after this time even if nothing changed. */
const statusReportMs = 300_000;

/**
 * How long a node may miss heartbeats before it is unreachable. Longer than the longest time between two heartbeats.
 */
const unreachableAfterMs = 60_000;

const unreachable = "node.kubernetes.io/unreachable";

/** Simulates the heartbeats of kubelets, and the controller that detects missing ones. */
export function createNodeController(context: ControllerContext): PlaygroundController {
  const { client, clock } = context;
  const { objects } = client;
  return {
    name: "node",
    resource: "nodes",
    watches: {
      configmaps: (change) => (isTroubleChange(change) ? objects.list("nodes").map((node) => `/${nameOf(node)}`) : []),
    },
    async reconcile({ name }) {
      const node = objects.get("nodes", "", name);
      if (node === undefined) return {};
      const lease = objects.get(leases, leaseNamespace, name);
      const renewedAtMs = lease === undefined ? undefined : timeAt(lease, "spec", "renewTime");
      if (isNodeLost(objects, name)) return await checkMissedHeartbeats(context, node, renewedAtMs ?? 0);
      const dueMs = renewedAtMs === undefined ? 0 : renewedAtMs + heartbeatMs + jitterMs(name, renewedAtMs);
      const wasLost = conditionOf(node, "Ready")?.["status"] !== "True";
      const leftMs = dueMs - clock.wallMs();
      if (leftMs <= 0 || wasLost) await renewLease(context, node);
      await markReady(context, node);
      return { retryAfterMs: leftMs > 0 ? leftMs : heartbeatMs };
    },
  };
}

/** Spreads the heartbeats of nodes and clusters over time. */
function jitterMs(name: string, renewedAtMs: number): number {
  return hashText(`${name}${renewedAtMs}`) % (heartbeatMs / 4);
}

async function renewLease({ client, clock }: ControllerContext, node: JsonObject): Promise<void> {
  const name = nameOf(node);
  const renewTime = new Date(clock.wallMs()).toISOString().replace("Z", "000Z");
  const ref = { resource: leases, namespace: leaseNamespace, name };
  const renewed = await client.update(ref, (draft) => {
    ensureObject(draft, "spec")["renewTime"] = renewTime;
  });
  if (renewed !== undefined) return;
  try {
    await client.create(leases, {
      metadata: {
        name,
        namespace: leaseNamespace,
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: uidOf(node) }],
      },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
    });
  } catch (reason) {
    if (!isRefusal(reason, "AlreadyExists")) throw reason;
  }
}

/** The conditions of a healthy node, as its kubelet reports them. */
const wellConditions: readonly ConditionValue[] = [
  {
    type: "MemoryPressure",
    status: "False",
    reason: "KubeletHasSufficientMemory",
    message: "kubelet has sufficient memory available",
  },
  {
    type: "DiskPressure",
    status: "False",
    reason: "KubeletHasNoDiskPressure",
    message: "kubelet has no disk pressure",
  },
  {
    type: "PIDPressure",
    status: "False",
    reason: "KubeletHasSufficientPID",
    message: "kubelet has sufficient PID available",
  },
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
];

async function markReady(context: ControllerContext, node: JsonObject): Promise<void> {
  const { client, events } = context;
  const wasReady = conditionOf(node, "Ready")?.["status"] === "True";
  await setNodeConditions(context, node, wellConditions);
  await setTaints(context, node, (key) => key !== unreachable && key !== "node.kubernetes.io/not-ready", []);
  if (wasReady) return;
  const message = `Node ${nameOf(node)} status is now: NodeReady`;
  await events.record(
    { apiVersion: "v1", kind: "Node", object: client.objects.get("nodes", "", nameOf(node)) ?? node },
    { type: "Normal", reason: "NodeReady", message, component: "kubelet", host: nameOf(node) },
  );
}

/** Handles a node without heartbeats: after `unreachableAfterMs` its conditions become Unknown and it is tainted. */
async function checkMissedHeartbeats(
  context: ControllerContext,
  node: JsonObject,
  renewedAtMs: number,
): Promise<Outcome> {
  const { clock, events } = context;
  const leftMs = renewedAtMs + unreachableAfterMs - clock.wallMs();
  if (leftMs > 0) return { retryAfterMs: leftMs };
  const wasUnknown = conditionOf(node, "Ready")?.["status"] === "Unknown";
  const unknown = wellConditions.map(
    ({ type }): ConditionValue => ({
      type,
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    }),
  );
  await setNodeConditions(context, node, unknown);
  const timeAdded = formatTime(clock.wallMs());
  await setTaints(context, node, () => true, [
    { key: unreachable, effect: "NoSchedule", timeAdded },
    { key: unreachable, effect: "NoExecute", timeAdded },
  ]);
  if (wasUnknown) return {};
  const message = `Node ${nameOf(node)} status is now: NodeNotReady`;
  await events.record(
    { apiVersion: "v1", kind: "Node", object: node },
    { type: "Normal", reason: "NodeNotReady", message, component: "node-controller" },
  );
  return {};
}

async function setNodeConditions(
  { client, clock }: ControllerContext,
  node: JsonObject,
  conditions: readonly ConditionValue[],
): Promise<void> {
  const nowMs = clock.wallMs();
  await updateStatus(client, "nodes", node, (draft) => {
    for (const condition of conditions) {
      const isReported = condition.status !== "Unknown";
      setCondition(draft, condition, nowMs, { timesOfUpdate: isReported ? ["lastHeartbeatTime"] : [] });
      const written = conditionOf(draft, condition.type) as DraftObject | undefined;
      if (written !== undefined && isReported && nowMs - (timeAt(written, "lastHeartbeatTime") ?? 0) >= statusReportMs)
        written["lastHeartbeatTime"] = formatTime(nowMs);
    }
  });
}

/** Keeps the taints that `isKept` allows and adds missing ones. */
async function setTaints(
  { client }: ControllerContext,
  node: JsonObject,
  isKept: (key: string) => boolean,
  added: readonly DraftObject[],
): Promise<void> {
  const taints = objectsAt(node, "spec", "taints");
  const has = (wanted: JsonObject): boolean =>
    taints.some((each) => each["key"] === wanted["key"] && each["effect"] === wanted["effect"]);
  const missing = added.filter((each) => !has(each));
  if (missing.length === 0 && taints.every((each) => isKept(textOf(each, "key")))) return;
  await client.update({ resource: "nodes", namespace: "", name: nameOf(node) }, (draft) => {
    const spec = ensureObject(draft, "spec");
    const kept = (listAt(spec, "taints") ?? []).filter(
      (each) => typeof each === "object" && each !== null && isKept(textOf(each as DraftObject, "key")),
    );
    const all = [...kept, ...missing];
    if (all.length === 0) delete spec["taints"];
    else spec["taints"] = all;
  });
}
