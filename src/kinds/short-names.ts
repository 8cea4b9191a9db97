// SPDX-License-Identifier: Apache-2.0

/** Short names of built-in kinds, as discovery lists them, by resource id. */
const builtInShortNames: ReadonlyMap<string, readonly string[]> = new Map([
  ["configmaps", ["cm"]],
  ["endpoints", ["ep"]],
  ["events", ["ev"]],
  ["limitranges", ["limits"]],
  ["namespaces", ["ns"]],
  ["nodes", ["no"]],
  ["persistentvolumeclaims", ["pvc"]],
  ["persistentvolumes", ["pv"]],
  ["pods", ["po"]],
  ["replicationcontrollers", ["rc"]],
  ["resourcequotas", ["quota"]],
  ["serviceaccounts", ["sa"]],
  ["services", ["svc"]],
  ["apiextensions.k8s.io/customresourcedefinitions", ["crd", "crds"]],
  ["apps/daemonsets", ["ds"]],
  ["apps/deployments", ["deploy"]],
  ["apps/replicasets", ["rs"]],
  ["apps/statefulsets", ["sts"]],
  ["autoscaling/horizontalpodautoscalers", ["hpa"]],
  ["batch/cronjobs", ["cj"]],
  ["certificates.k8s.io/certificatesigningrequests", ["csr"]],
  ["events.k8s.io/events", ["ev"]],
  ["networking.k8s.io/ingresses", ["ing"]],
  ["networking.k8s.io/ipaddresses", ["ip"]],
  ["networking.k8s.io/networkpolicies", ["netpol"]],
  ["policy/poddisruptionbudgets", ["pdb"]],
  ["scheduling.k8s.io/priorityclasses", ["pc"]],
  ["storage.k8s.io/storageclasses", ["sc"]],
]);

/** Short names of a built-in kind; empty for other kinds. */
export function shortNamesOf(resource: string): readonly string[] {
  return builtInShortNames.get(resource) ?? [];
}
