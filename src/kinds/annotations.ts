// SPDX-License-Identifier: Apache-2.0

/** Annotations that may leave a cluster (KI5). Each names an origin or controls a tool; none holds configuration. */
export const allowedAnnotations: ReadonlySet<string> = new Set([
  "argocd.argoproj.io/tracking-id",
  "cluster-autoscaler.kubernetes.io/safe-to-evict",
  "deployment.kubernetes.io/revision",
  "flotilla.dev/source",
  "helm.sh/hook",
  "ingressclass.kubernetes.io/is-default-class",
  "kubectl.kubernetes.io/restartedAt",
  "kubernetes.io/change-cause",
  "kustomize.toolkit.fluxcd.io/reconcile",
  "meta.helm.sh/release-name",
  "meta.helm.sh/release-namespace",
  "networking.istio.io/exportTo",
  "reconcile.fluxcd.io/requestedAt",
  "sidecar.istio.io/inject",
  "storageclass.kubernetes.io/is-default-class",
]);
