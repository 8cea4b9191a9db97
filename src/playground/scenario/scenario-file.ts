// SPDX-License-Identifier: Apache-2.0
// The scenario of all playground clusters, as data. build-scenario.ts draws what differs between clusters from their
// seed.

/** One workload of the scenario. */
export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet" | "CronJob";
  /** Fewest and most replicas. */
  readonly replicas?: readonly [number, number];
  readonly image: string;
  /** Container and Service port; a workload without one has no Service. */
  readonly port?: number;
  readonly service?: "ClusterIP" | "LoadBalancer" | "Headless";
  readonly schedule?: string;
  /** Storage that each Pod claims. */
  readonly storage?: string;
  /** Present in only some clusters, drawn from the seed. */
  readonly isOptional?: boolean;
  readonly isProbed?: boolean;
}

/** Namespaces besides the built-in ones, and whether Istio injects sidecars. */
export const namespaces: readonly { readonly name: string; readonly isMeshed: boolean }[] = [
  { name: "shop", isMeshed: true },
  { name: "payments", isMeshed: true },
  { name: "analytics", isMeshed: false },
  { name: "istio-system", isMeshed: false },
  { name: "flux-system", isMeshed: false },
  { name: "argocd", isMeshed: false },
];

const registry = "registry.example";

/** Every cluster has the workloads that are not optional, and some of the others. */
export const workloads: readonly Workload[] = [
  {
    namespace: "shop",
    name: "storefront",
    kind: "Deployment",
    replicas: [2, 4],
    image: `${registry}/shop/storefront`,
    port: 8080,
    service: "LoadBalancer",
    isProbed: true,
  },
  {
    namespace: "shop",
    name: "catalog",
    kind: "Deployment",
    replicas: [2, 3],
    image: `${registry}/shop/catalog`,
    port: 8080,
    isProbed: true,
  },
  {
    namespace: "shop",
    name: "cart",
    kind: "Deployment",
    replicas: [2, 3],
    image: `${registry}/shop/cart`,
    port: 8080,
    isProbed: true,
  },
  {
    namespace: "shop",
    name: "checkout",
    kind: "Deployment",
    replicas: [2, 3],
    image: `${registry}/shop/checkout`,
    port: 8080,
    isProbed: true,
  },
  {
    namespace: "shop",
    name: "recommendations",
    kind: "Deployment",
    replicas: [1, 2],
    image: `${registry}/shop/recommendations`,
    port: 8080,
    isOptional: true,
  },
  {
    namespace: "shop",
    name: "search",
    kind: "Deployment",
    replicas: [1, 3],
    image: `${registry}/shop/search`,
    port: 8080,
    isOptional: true,
  },
  {
    namespace: "shop",
    name: "catalog-db",
    kind: "StatefulSet",
    replicas: [1, 2],
    image: "docker.io/library/postgres",
    port: 5432,
    service: "Headless",
    storage: "10Gi",
  },
  {
    namespace: "shop",
    name: "image-cleanup",
    kind: "CronJob",
    image: `${registry}/shop/image-cleanup`,
    schedule: "*/15 * * * *",
  },
  {
    namespace: "payments",
    name: "payments-api",
    kind: "Deployment",
    replicas: [2, 3],
    image: `${registry}/payments/api`,
    port: 8443,
    isProbed: true,
  },
  {
    namespace: "payments",
    name: "fraud-check",
    kind: "Deployment",
    replicas: [1, 2],
    image: `${registry}/payments/fraud-check`,
    port: 9090,
  },
  {
    namespace: "payments",
    name: "ledger",
    kind: "StatefulSet",
    replicas: [2, 3],
    image: `${registry}/payments/ledger`,
    port: 7000,
    service: "Headless",
    storage: "20Gi",
  },
  {
    namespace: "payments",
    name: "settlement",
    kind: "CronJob",
    image: `${registry}/payments/settlement`,
    schedule: "0 * * * *",
  },
  {
    namespace: "analytics",
    name: "events-collector",
    kind: "Deployment",
    replicas: [1, 2],
    image: `${registry}/analytics/collector`,
    port: 4318,
    isOptional: true,
  },
  {
    namespace: "analytics",
    name: "reports",
    kind: "Deployment",
    replicas: [1, 1],
    image: `${registry}/analytics/reports`,
    port: 8080,
    isOptional: true,
  },
  {
    namespace: "kube-system",
    name: "coredns",
    kind: "Deployment",
    replicas: [2, 2],
    image: "registry.k8s.io/coredns/coredns",
    port: 53,
  },
  {
    namespace: "kube-system",
    name: "node-exporter",
    kind: "DaemonSet",
    image: "quay.io/prometheus/node-exporter",
    port: 9100,
  },
  {
    namespace: "istio-system",
    name: "istiod",
    kind: "Deployment",
    replicas: [1, 2],
    image: "docker.io/istio/pilot",
    port: 15012,
  },
  {
    namespace: "istio-system",
    name: "istio-ingressgateway",
    kind: "Deployment",
    replicas: [1, 2],
    image: "docker.io/istio/proxyv2",
    port: 8443,
    service: "LoadBalancer",
  },
  {
    namespace: "flux-system",
    name: "source-controller",
    kind: "Deployment",
    replicas: [1, 1],
    image: "ghcr.io/fluxcd/source-controller",
    port: 9090,
  },
  {
    namespace: "flux-system",
    name: "kustomize-controller",
    kind: "Deployment",
    replicas: [1, 1],
    image: "ghcr.io/fluxcd/kustomize-controller",
    port: 8080,
  },
];

/** Fewest and most nodes of a cluster. */
export const nodeCount: readonly [number, number] = [3, 4];

/** The repository of the GitOps objects' simulated branches. */
export const fleetRepository = "https://git.example/platform/fleet";
