// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { coreKinds, rbacKinds } from "./core-kinds.ts";
import { secretKind } from "./secret-kind.ts";

test("[L2] the core kinds begin with RBAC's four", () => {
  expect(coreKinds.slice(0, 4)).toEqual(rbacKinds);
});

test("[KI13] each core kind reads the stable version first", () => {
  for (const { versions } of [...coreKinds, secretKind]) expect(versions[0]).toMatch(/^v\d+$/);
});

/**
 * Which of our columns tell what Kubernetes 1.36 shows with `kubectl get -o wide`, in its order. Name, age and status
 * are in every row; so is the reason. An Event's subobject is a part of a Pod's spec, and stays (KI2).
 */
const wideColumns: Readonly<Record<string, string>> = {
  ClusterRole: "",
  ClusterRoleBinding: "roleKind roleName subjects",
  Role: "",
  RoleBinding: "roleKind roleName subjects",
  Namespace: "phase",
  Node: "roles kubeletVersion addresses osImage kernelVersion runtimeVersion",
  CustomResourceDefinition: "",
  Pod: "ready printStatus phase restarts lastRestartAt podIps node nominatedNode readinessGates",
  Service: "type clusterIps addresses externalIpCount externalName ports selector",
  EndpointSlice: "addressType ports endpoints",
  Deployment: "replicas ready updated available containers images containerImages selector",
  StatefulSet: "replicas ready containers images containerImages",
  DaemonSet: "desired scheduled ready updated available nodeSelector containers images containerImages selector",
  ReplicaSet: "replicas current ready containers images containerImages selector",
  Job: "printStatus completions succeeded startedAt completedAt containers images containerImages selector",
  CronJob: "schedule timeZone suspend active lastScheduledAt containers images containerImages selector",
  Ingress: "class classAnnotation hosts ruleHosts addresses tls",
  HorizontalPodAutoscaler: "targetKind targetName targets minReplicas maxReplicas currentReplicas",
  PodDisruptionBudget: "minAvailable maxUnavailable disruptionsAllowed",
  PersistentVolumeClaim: "phase volume capacity accessModes boundModes storageClass attributesClass volumeMode",
  PersistentVolume:
    "capacity accessModes reclaimPolicy phase claimNamespace claimName storageClass attributesClass failureReason volumeMode",
  ConfigMap: "keys keyCount",
  Event: "lastSeenAt type objectKind objectName controller firstSeenAt count",
};

test.each(coreKinds.map((kind) => [kind.kind, kind] as const))(
  "[KI22] a %s has columns for what kubectl get -o wide shows",
  (name, { columns }) => {
    const told = wideColumns[name]?.split(" ").filter((each) => each !== "");
    expect(told).toBeDefined();
    expect(columns.map((column) => column.name)).toEqual(expect.arrayContaining(told ?? []));
  },
);
