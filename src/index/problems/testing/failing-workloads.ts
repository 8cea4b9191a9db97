// SPDX-License-Identifier: Apache-2.0
// Objects as an API server sends them, of workloads that do not work.
import { deploymentKind } from "../../../kinds/deployment-kind.ts";
import { nodeKind } from "../../../kinds/node-kind.ts";
import { podKind } from "../../../kinds/pod-kind.ts";
import { replicaSetKind } from "../../../kinds/replica-set-kind.ts";
import { type BuiltRow, builtRow } from "../../relations/testing/built-fleet.ts";

/** A Deployment with one ReplicaSet, in one cluster. */
export interface FailingWorkload {
  readonly cluster: string;
  readonly namespace?: string;
  readonly name: string;
  readonly image?: string;
  readonly podCount: number;
  /** The state of each Pod's container. */
  readonly waiting?: { readonly reason: string; readonly message?: string };
  /** The Pods were ready once and are not any more, on this Node. */
  readonly lostNode?: string;
  /** The controller has given up on the rollout. */
  readonly isTimedOut?: boolean;
}

const hash = "7c9d8b6f5";
const suffixes = ["x2x4z", "b7k9d", "qwrtz", "m5n6p", "hh2c4"];
/** A UUID that depends on nothing but the texts. */
function uidOf(...texts: readonly string[]): string {
  let sum = 7;
  for (const character of texts.join("/")) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 0xffff_ffff_ffff;
  return `00000000-0000-4000-8000-${sum.toString(16).padStart(12, "0")}`;
}

/** The rows of a Deployment, its ReplicaSet and its Pods. */
export function workloadRows(workload: FailingWorkload): readonly BuiltRow[] {
  const { cluster, namespace = "shop", name, image = `shop/${name}:1.4`, podCount } = workload;
  const replicaSet = `${name}-${hash}`;
  const metadata = (own: string, kind: string, owner?: readonly [string, string, string]): object => ({
    name: own,
    namespace,
    uid: uidOf(cluster, namespace, kind, own),
    generation: 1,
    creationTimestamp: "2026-01-05T10:00:00Z",
    labels: { app: name, ...(kind === "Deployment" ? {} : { "pod-template-hash": hash }) },
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            {
              apiVersion: owner[0],
              kind: owner[1],
              name: owner[2],
              uid: uidOf(cluster, namespace, owner[1], owner[2]),
              controller: true,
            },
          ],
        }),
  });
  const containers = [{ name, image }];
  const template = { spec: { containers } };
  const selector = { matchLabels: { app: name } };
  const counts = { observedGeneration: 1, replicas: podCount, updatedReplicas: podCount };
  const progressing = workload.isTimedOut
    ? {
        status: "False",
        reason: "ProgressDeadlineExceeded",
        message: `ReplicaSet "${replicaSet}" has timed out progressing.`,
      }
    : { status: "True", reason: "NewReplicaSetAvailable" };
  const spec = { replicas: podCount, selector, template };
  const conditions = [{ type: "Progressing", ...progressing }];
  const pods = Array.from({ length: podCount }, (_, at) => {
    const suffix = suffixes[at] ?? `n${at}`;
    return builtRow(cluster, podKind, {
      metadata: metadata(`${replicaSet}-${suffix}`, "Pod", ["apps/v1", "ReplicaSet", replicaSet]),
      spec: { containers, nodeName: workload.lostNode ?? "node-a" },
      status: podStatus(workload),
    });
  });
  return [
    builtRow(cluster, deploymentKind, {
      metadata: metadata(name, "Deployment"),
      spec,
      status: { ...counts, conditions },
    }),
    builtRow(cluster, replicaSetKind, {
      metadata: metadata(replicaSet, "ReplicaSet", ["apps/v1", "Deployment", name]),
      spec,
      status: { observedGeneration: 1, replicas: podCount },
    }),
    ...pods,
  ];
}

function podStatus({ name, waiting, lostNode }: FailingWorkload): object {
  if (lostNode !== undefined)
    return {
      phase: "Running",
      conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2026-01-05T11:00:00Z" }],
      containerStatuses: [{ name, ready: true, state: { running: { startedAt: "2026-01-05T10:00:05Z" } } }],
    };
  return {
    phase: "Pending",
    containerStatuses: [{ name, restartCount: 4, ready: false, state: { waiting } }],
  };
}

/** A Node whose kubelet does not report any more. */
export function lostNodeRow(cluster: string, name: string): BuiltRow {
  return builtRow(cluster, nodeKind, {
    metadata: { name, uid: uidOf(cluster, "Node", name) },
    status: {
      conditions: [
        {
          type: "Ready",
          status: "Unknown",
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting node status.",
        },
      ],
    },
  });
}
