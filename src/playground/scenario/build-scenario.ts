// SPDX-License-Identifier: Apache-2.0
import type { DraftObject } from "../../apiserver/json/json.ts";
import { createSeededRandom, type SeededRandom } from "../../base/random.ts";
import { makeNode } from "../controllers/make-node.ts";
import { buildWorkload, type ScenarioObject } from "./build-workload.ts";
import { fleetRepository, namespaces, nodeCount, type Workload, workloads } from "./scenario-file.ts";

/** The cluster that a scenario is built for. Equal options give equal objects. */
export interface ScenarioOptions {
  readonly clusterName: string;
  readonly region: string;
  readonly seed: string;
}

/** Objects of built-in kinds, in an order in which they can be created. */
export function buildBuiltinObjects({ clusterName, region, seed }: ScenarioOptions): readonly ScenarioObject[] {
  const random = createSeededRandom(seed).fork(clusterName);
  return [
    ...["default", "kube-system", "kube-public", "kube-node-lease"].map((name) => toNamespace(name, false)),
    ...namespaces.map(({ name, isMeshed }) => toNamespace(name, isMeshed)),
    ...buildNodes(clusterName, region, random.fork("nodes")),
    {
      resource: "storage.k8s.io/storageclasses",
      object: {
        metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        provisioner: "playground.flotilla.dev/provisioner",
      },
    },
    {
      resource: "configmaps",
      object: {
        metadata: { name: "cluster-identity", namespace: "kube-system" },
        data: { cluster: clusterName, region },
      },
    },
    {
      resource: "autoscaling/horizontalpodautoscalers",
      object: {
        metadata: { name: "storefront", namespace: "shop" },
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "storefront" },
          minReplicas: 2,
          maxReplicas: 6,
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
          ],
        },
      },
    },
    {
      resource: "policy/poddisruptionbudgets",
      object: {
        metadata: { name: "payments-api", namespace: "payments" },
        spec: { minAvailable: 1, selector: { matchLabels: { "app.kubernetes.io/name": "payments-api" } } },
      },
    },
    ...chosenWorkloads(random.fork("choice")).flatMap((workload) =>
      buildWorkload(workload, random.fork(`${workload.namespace}/${workload.name}`)),
    ),
  ];
}

function toNamespace(name: string, isMeshed: boolean): ScenarioObject {
  const labels = isMeshed ? { labels: { "istio-injection": "enabled" } } : {};
  return { resource: "namespaces", object: { metadata: { name, ...labels } } };
}

function buildNodes(clusterName: string, region: string, random: SeededRandom): readonly ScenarioObject[] {
  const [fewest, most] = nodeCount;
  return Array.from({ length: fewest + random.int(most - fewest + 1) }, (_, index) => ({
    resource: "nodes",
    object: makeNode({
      name: `${clusterName}-node-${index + 1}`,
      region,
      zone: `${region}-${"abc".charAt(index % 3)}`,
      index,
    }),
  }));
}

function chosenWorkloads(random: SeededRandom): readonly Workload[] {
  return workloads.filter(({ isOptional = false }) => !isOptional || random.int(2) === 0);
}

/** Istio, Flux and Argo CD objects, of the kinds that the scenario's CRDs define. */
export function buildCustomObjects({ region }: ScenarioOptions): readonly ScenarioObject[] {
  const http = (host: string, port: number): DraftObject => ({ destination: { host, port: { number: port } } });
  const istio = "networking.istio.io";
  const of = (resource: string, namespace: string, name: string, spec: DraftObject): ScenarioObject => ({
    resource,
    object: { metadata: { name, namespace }, spec },
  });
  const kustomization = (name: string): ScenarioObject =>
    of("kustomize.toolkit.fluxcd.io/kustomizations", "flux-system", name, {
      interval: "10m",
      path: `./regions/${region}/${name}`,
      prune: true,
      sourceRef: { kind: "GitRepository", name: "fleet" },
    });
  const application = (name: string): ScenarioObject =>
    of("argoproj.io/applications", "argocd", name, {
      project: "default",
      source: { repoURL: `${fleetRepository}-apps`, path: name, targetRevision: "main" },
      destination: { server: "https://kubernetes.default.svc", namespace: name },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    });
  return [
    of(`${istio}/gateways`, "istio-system", "public", {
      selector: { istio: "ingressgateway" },
      servers: [
        {
          port: { number: 443, name: "https", protocol: "HTTPS" },
          hosts: ["shop.example"],
          tls: { mode: "SIMPLE", credentialName: "shop-example" },
        },
      ],
    }),
    of(`${istio}/virtualservices`, "shop", "storefront", {
      hosts: ["shop.example"],
      gateways: ["istio-system/public"],
      http: [
        { match: [{ uri: { prefix: "/api/cart" } }], route: [http("cart", 8080)], timeout: "3s" },
        { route: [http("storefront", 8080)] },
      ],
    }),
    of(`${istio}/virtualservices`, "payments", "payments-api", {
      hosts: ["payments-api"],
      http: [{ route: [http("payments-api", 8443)], retries: { attempts: 3, perTryTimeout: "1s" } }],
    }),
    of(`${istio}/destinationrules`, "payments", "payments-api", {
      host: "payments-api",
      trafficPolicy: { tls: { mode: "ISTIO_MUTUAL" } },
      subsets: [{ name: "v1", labels: { version: "v1" } }],
    }),
    of(`${istio}/serviceentries`, "payments", "card-network", {
      hosts: ["api.cards.example"],
      location: "MESH_EXTERNAL",
      resolution: "DNS",
      ports: [{ number: 443, name: "tls", protocol: "TLS" }],
    }),
    of("source.toolkit.fluxcd.io/gitrepositories", "flux-system", "fleet", {
      interval: "1m",
      url: fleetRepository,
      ref: { branch: "main" },
    }),
    kustomization("infrastructure"),
    kustomization("shop"),
    of("helm.toolkit.fluxcd.io/helmreleases", "flux-system", "node-exporter", {
      interval: "30m",
      targetNamespace: "kube-system",
      chart: {
        spec: {
          chart: "node-exporter",
          version: "4.47.0",
          sourceRef: { kind: "HelmRepository", name: "prometheus" },
        },
      },
    }),
    application("payments"),
    application("analytics"),
  ];
}
