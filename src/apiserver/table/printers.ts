// SPDX-License-Identifier: Apache-2.0
import { textAt } from "../json/json-fields.ts";
import type { Printer } from "../resources/printer.ts";
import {
  controllerRevisionPrinter,
  daemonSetPrinter,
  deploymentPrinter,
  replicaSetPrinter,
  replicationControllerPrinter,
  statefulSetPrinter,
} from "./apps-printers.ts";
import { cronJobPrinter, jobPrinter } from "./batch-printers.ts";
import { nameOf } from "./cells.ts";
import { nameColumn, printCells, textColumn } from "./columns.ts";
import {
  configMapPrinter,
  nameAndAgePrinter,
  namespacePrinter,
  podTemplatePrinter,
  resourceQuotaPrinter,
  secretPrinter,
} from "./core-printers.ts";
import { coreEventPrinter, eventsEventPrinter } from "./event-printer.ts";
import { autoscalerV1Printer, autoscalerV2Printer } from "./hpa-printer.ts";
import {
  endpointSlicePrinter,
  endpointsPrinter,
  ingressClassPrinter,
  ingressPrinter,
  ipAddressPrinter,
  networkPolicyPrinter,
  serviceCidrPrinter,
  servicePrinter,
} from "./network-printers.ts";
import { nodePrinter } from "./node-printer.ts";
import { podPrinter } from "./pod-printer.ts";
import {
  bindingPrinter,
  leasePrinter,
  podDisruptionBudgetPrinter,
  priorityClassPrinter,
  runtimeClassPrinter,
  scalePrinter,
  webhookPrinter,
} from "./policy-printers.ts";
import {
  admissionPolicyPrinter,
  flowSchemaPrinter,
  policyBindingPrinter,
  priorityLevelPrinter,
  signingRequestPrinter,
} from "./server-printers.ts";
import {
  csiDriverPrinter,
  csiNodePrinter,
  persistentVolumeClaimPrinter,
  persistentVolumePrinter,
  storageClassPrinter,
  volumeAttachmentPrinter,
  volumeAttributesClassPrinter,
} from "./storage-printers.ts";

/**
 * The printer of built-in kinds without their own: LimitRanges, Roles, CustomResourceDefinitions. Shows the creation
 * time instead of an age.
 */
export const defaultPrinter: Printer = printCells(
  [nameColumn, { ...textColumn("Created At"), type: "date" }],
  (object) => [nameOf(object), textAt(object, "metadata", "creationTimestamp") ?? null],
);

const printers: ReadonlyMap<string, Printer> = new Map([
  ["Pod", podPrinter],
  ["PodTemplate", podTemplatePrinter],
  ["ReplicationController", replicationControllerPrinter],
  ["Service", servicePrinter],
  ["Endpoints", endpointsPrinter],
  ["Node", nodePrinter],
  ["Event", coreEventPrinter],
  ["Namespace", namespacePrinter],
  ["ConfigMap", configMapPrinter],
  ["Secret", secretPrinter],
  ["ServiceAccount", nameAndAgePrinter],
  ["PersistentVolume", persistentVolumePrinter],
  ["PersistentVolumeClaim", persistentVolumeClaimPrinter],
  ["ResourceQuota", resourceQuotaPrinter],
  ["apps/ReplicaSet", replicaSetPrinter],
  ["apps/Deployment", deploymentPrinter],
  ["apps/StatefulSet", statefulSetPrinter],
  ["apps/DaemonSet", daemonSetPrinter],
  ["apps/ControllerRevision", controllerRevisionPrinter],
  ["batch/Job", jobPrinter],
  ["batch/CronJob", cronJobPrinter],
  ["autoscaling/HorizontalPodAutoscaler", autoscalerV2Printer],
  ["autoscaling/Scale", scalePrinter],
  ["policy/PodDisruptionBudget", podDisruptionBudgetPrinter],
  ["discovery.k8s.io/EndpointSlice", endpointSlicePrinter],
  ["networking.k8s.io/Ingress", ingressPrinter],
  ["networking.k8s.io/IngressClass", ingressClassPrinter],
  ["networking.k8s.io/NetworkPolicy", networkPolicyPrinter],
  ["networking.k8s.io/ServiceCIDR", serviceCidrPrinter],
  ["networking.k8s.io/IPAddress", ipAddressPrinter],
  ["events.k8s.io/Event", eventsEventPrinter],
  ["rbac.authorization.k8s.io/RoleBinding", bindingPrinter],
  ["rbac.authorization.k8s.io/ClusterRoleBinding", bindingPrinter],
  ["coordination.k8s.io/Lease", leasePrinter],
  ["scheduling.k8s.io/PriorityClass", priorityClassPrinter],
  ["node.k8s.io/RuntimeClass", runtimeClassPrinter],
  ["storage.k8s.io/StorageClass", storageClassPrinter],
  ["storage.k8s.io/VolumeAttributesClass", volumeAttributesClassPrinter],
  ["storage.k8s.io/CSIDriver", csiDriverPrinter],
  ["storage.k8s.io/CSINode", csiNodePrinter],
  ["storage.k8s.io/VolumeAttachment", volumeAttachmentPrinter],
  ["flowcontrol.apiserver.k8s.io/FlowSchema", flowSchemaPrinter],
  ["flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration", priorityLevelPrinter],
  ["certificates.k8s.io/CertificateSigningRequest", signingRequestPrinter],
  ["admissionregistration.k8s.io/ValidatingAdmissionPolicy", admissionPolicyPrinter("Validations")],
  ["admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding", policyBindingPrinter],
  ["admissionregistration.k8s.io/MutatingAdmissionPolicy", admissionPolicyPrinter("Mutations")],
  ["admissionregistration.k8s.io/MutatingAdmissionPolicyBinding", policyBindingPrinter],
  ["admissionregistration.k8s.io/MutatingWebhookConfiguration", webhookPrinter],
  ["admissionregistration.k8s.io/ValidatingWebhookConfiguration", webhookPrinter],
]);

/**
 * The printer of a built-in kind at a served version; the default printer if it has none. Custom resources have
 * `customPrinter`.
 */
export function printerFor(group: string, version: string, kind: string): Printer {
  if (group === "autoscaling" && version === "v1" && kind === "HorizontalPodAutoscaler") return autoscalerV1Printer;
  return printers.get(group === "" ? kind : `${group}/${kind}`) ?? defaultPrinter;
}
