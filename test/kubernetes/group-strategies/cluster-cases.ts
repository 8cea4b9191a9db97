// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { type CreateCase, selecting, withSpec } from "./strategy-case.ts";

const inGroup =
  (resource: string) =>
  (name: string, spec: JsonObject): CreateCase => ({ name, resource, object: withSpec("x", spec) });

const ingress = inGroup("networking.k8s.io/v1/ingresses");
const ingressClass = inGroup("networking.k8s.io/v1/ingressclasses");
const networkPolicy = inGroup("networking.k8s.io/v1/networkpolicies");
const budget = inGroup("policy/v1/poddisruptionbudgets");
const autoscaler = inGroup("autoscaling/v2/horizontalpodautoscalers");
const lease = inGroup("coordination.k8s.io/v1/leases");
const csiDriver = inGroup("storage.k8s.io/v1/csidrivers");
const csiNode = inGroup("storage.k8s.io/v1/csinodes");
const attachment = inGroup("storage.k8s.io/v1/volumeattachments");

function plain(resource: string, name: string, rest: JsonObject, objectName = "x"): CreateCase {
  return { name, resource, object: { metadata: { name: objectName }, ...rest } };
}

const rbac = "rbac.authorization.k8s.io/v1";
const slices = "discovery.k8s.io/v1/endpointslices";
const priorities = "scheduling.k8s.io/v1/priorityclasses";
const classes = "storage.k8s.io/v1/storageclasses";
const backend = { service: { name: "web", port: { number: 80 } } };
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

/** Kinds that are not workloads. */
export const clusterCases: readonly CreateCase[] = [
  ingress("the least", { defaultBackend: backend }),
  ingress("a rule", {
    ingressClassName: "nginx",
    rules: [{ host: "*.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    tls: [{ hosts: ["a.example.com"], secretName: "tls" }],
  }),
  ingress("nothing", {}),
  ingress("wrong hosts", {
    rules: [
      {
        host: "1.2.3.4",
        http: { paths: [{ path: "x", pathType: "Foo", backend: { service: { name: "", port: {} } } }] },
      },
    ],
    tls: [{ hosts: ["*x", "A"], secretName: "A_" }],
    ingressClassName: "X_",
  }),
  ingress("wrong paths", {
    rules: [
      {
        host: "*.*.com",
        http: {
          paths: [
            {
              path: "/a//b/../%2f/..",
              pathType: "Exact",
              backend: { resource: { kind: "", name: "a/b", apiGroup: "A" } },
            },
            { backend },
          ],
        },
      },
      { http: { paths: [] } },
    ],
  }),
  plain("networking.k8s.io/v1/ingresses", "two classes", {
    metadata: { name: "x", annotations: { "kubernetes.io/ingress.class": "b" } },
    spec: { ingressClassName: "a", defaultBackend: { service: { name: "x", port: { number: 80, name: "x" } } } },
  }),
  ingressClass("the least", { controller: "example.com/c" }),
  ingressClass("parameters", { controller: "example.com/c", parameters: { kind: "K", name: "n" } }),
  ingressClass("no controller", {}),
  ingressClass("wrong parameters", { controller: "a", parameters: { scope: "X" } }),
  ingressClass("a scope without a namespace", {
    controller: "a_b/c d",
    parameters: { kind: "a", name: "b", scope: "Namespace" },
  }),
  networkPolicy("the least", {}),
  networkPolicy("a way out", { podSelector: {}, egress: [{ ports: [{ port: 53, protocol: "UDP" }, { port: 53 }] }] }),
  networkPolicy("wrong ports and peers", {
    ingress: [
      {
        ports: [{ port: 0, protocol: "X" }, { port: "A-", endPort: 3 }, { endPort: 4 }, { port: 5, endPort: 4 }],
        from: [
          {},
          { podSelector: {}, ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16", "11.0.0.0/8", "x"] } },
          { ipBlock: { cidr: "10.0.0.1/8" } },
          { ipBlock: { cidr: "10.00.0.0/8" } },
          { ipBlock: { cidr: "2001:db8::/32", except: ["2001:db8:1::/48", "2001:db8::/32"] } },
        ],
      },
    ],
    policyTypes: ["X"],
  }),
  networkPolicy("too many types", { policyTypes: ["Ingress", "Egress", "Ingress"] }),
  budget("the least", {}),
  budget("a share", { minAvailable: "50%", selector: selecting("web") }),
  budget("both bounds", {
    minAvailable: 1,
    maxUnavailable: "x",
    selector: selecting("web"),
    unhealthyPodEvictionPolicy: "Z",
  }),
  budget("too much", { minAvailable: "150%", selector: { matchExpressions: [{ key: "a", operator: "Foo" }] } }),
  autoscaler("the least", { maxReplicas: 3, scaleTargetRef: target }),
  autoscaler("a behavior", {
    maxReplicas: 3,
    scaleTargetRef: target,
    behavior: { scaleUp: { tolerance: "100m" }, scaleDown: { selectPolicy: "Disabled" } },
  }),
  autoscaler("nothing", {}),
  autoscaler("to nothing", { maxReplicas: -1, minReplicas: 0, scaleTargetRef: { ...target, apiVersion: "v1" } }),
  autoscaler("a wrong target", {
    maxReplicas: 1,
    minReplicas: 2,
    scaleTargetRef: { kind: "a/b", name: "c%", apiVersion: "a/b/c" },
  }),
  autoscaler("wrong metrics", {
    maxReplicas: 1,
    scaleTargetRef: target,
    metrics: [
      {},
      { type: "Resource" },
      {
        type: "Pods",
        pods: { metric: { name: "" }, target: { type: "Value", value: "0" } },
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 0 } },
      },
      {
        type: "External",
        external: { metric: { name: "x" }, target: { type: "Value", value: "1", averageValue: "2" } },
      },
      {
        type: "Object",
        object: { describedObject: { kind: "", name: "" }, metric: { name: "a" }, target: { type: "" } },
      },
      {
        type: "ContainerResource",
        containerResource: { name: "foo", container: "A", target: { type: "Utilization" } },
      },
    ],
  }),
  autoscaler("a wrong behavior", {
    maxReplicas: 1,
    scaleTargetRef: target,
    behavior: {
      scaleUp: { stabilizationWindowSeconds: -1, selectPolicy: "X" },
      scaleDown: {
        stabilizationWindowSeconds: 4000,
        policies: [
          { type: "X", value: 0, periodSeconds: 0 },
          { type: "Pods", value: 1, periodSeconds: 2000 },
        ],
      },
    },
  }),
  plain("autoscaling/v1/horizontalpodautoscalers", "the least", { spec: { maxReplicas: 3, scaleTargetRef: target } }),
  plain("autoscaling/v1/horizontalpodautoscalers", "nothing", { spec: {} }),
  plain(`${rbac}/roles`, "nothing", {}, "a:b"),
  plain(`${rbac}/roles`, "wrong rules", {
    rules: [{}, { verbs: ["get"], nonResourceURLs: ["/a"], resources: ["x"] }],
  }),
  plain(`${rbac}/clusterroles`, "a wrong name and no selector", { aggregationRule: {} }, "a%b"),
  plain(`${rbac}/clusterroles`, "a wrong selector", {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "-" } }] },
  }),
  plain(`${rbac}/rolebindings`, "subjects of all kinds", {
    roleRef: { kind: "ClusterRole", name: "view" },
    subjects: [
      { kind: "User", name: "u" },
      { kind: "Group", name: "g" },
      { kind: "ServiceAccount", name: "s" },
    ],
  }),
  plain(`${rbac}/rolebindings`, "nothing", { roleRef: {}, subjects: [{}] }),
  plain(`${rbac}/rolebindings`, "wrong groups", {
    roleRef: { apiGroup: "x", kind: "X", name: "a/b" },
    subjects: [
      { kind: "User", name: "x", apiGroup: "y" },
      { kind: "ServiceAccount", name: "A_", apiGroup: "q" },
    ],
  }),
  plain(`${rbac}/clusterrolebindings`, "a Role, and an account of no namespace", {
    roleRef: { kind: "Role", name: "x" },
    subjects: [{ kind: "ServiceAccount", name: "a" }],
  }),
  lease("the least", { strategy: "x", preferredHolder: "y" }),
  lease("wrong numbers", { leaseDurationSeconds: 0, leaseTransitions: -1 }),
  plain(slices, "the least", { addressType: "IPv4", endpoints: [] }),
  plain(slices, "an endpoint", {
    addressType: "IPv6",
    endpoints: [{ addresses: ["2001:db8::1"], deprecatedTopology: { a: "b" }, hostname: "a", nodeName: "n" }],
    ports: [{ port: 80 }, { name: "b", protocol: "UDP" }],
  }),
  plain(slices, "nothing", {}),
  plain(slices, "wrong ports", {
    addressType: "X",
    ports: [{ name: "A" }, { name: "A", protocol: "Q", appProtocol: "a/b/c" }],
    endpoints: [{}],
  }),
  plain(slices, "wrong IPv4 addresses", {
    addressType: "IPv4",
    endpoints: [
      {
        addresses: ["::1", "127.0.0.1", "0.0.0.0", "169.254.1.1", "224.0.0.1", "x", "1.2.3.04"],
        hostname: "A",
        nodeName: "B_",
        hints: { forZones: [{ name: "a" }, { name: "a" }, { name: "b " }], forNodes: [{ name: "n" }, { name: "n" }] },
      },
    ],
  }),
  plain(slices, "wrong IPv6 addresses", {
    addressType: "IPv6",
    endpoints: [{ addresses: ["1.2.3.4", "2001:DB8::1", "fe80::1", "ff02::1", "::", "::1", "::ffff:1.2.3.4"] }],
  }),
  plain(slices, "wrong names", { addressType: "FQDN", endpoints: [{ addresses: ["a", "a.b.", "A.b", ""] }] }),
  plain(priorities, "the least", { value: 5 }),
  plain(priorities, "a name of the system", { value: 1 }, "system-x"),
  plain(priorities, "a wrong number of the system", { value: 1 }, "system-node-critical"),
  plain(priorities, "too high", { value: 2_000_000_000, preemptionPolicy: "X" }),
  plain(classes, "the least", { provisioner: "example.com/p" }),
  plain(classes, "nothing", {}),
  plain(classes, "everything wrong", {
    provisioner: "A b",
    parameters: { "": "x" },
    reclaimPolicy: "Recycle",
    volumeBindingMode: "X",
    allowedTopologies: [
      { matchLabelExpressions: [{ key: "a", values: ["b", "b"] }, { key: "a" }] },
      { matchLabelExpressions: [] },
      { matchLabelExpressions: [] },
    ],
  }),
  csiDriver("the least", {}),
  csiDriver("everything wrong", {
    fsGroupPolicy: "X",
    volumeLifecycleModes: ["Y"],
    tokenRequests: [{ audience: "a", expirationSeconds: 5 }, { audience: "a" }],
    nodeAllocatableUpdatePeriodSeconds: 1,
  }),
  csiDriver("tokens of nobody", { serviceAccountTokenInSecrets: true }),
  csiNode("the least", {}),
  csiNode("wrong drivers", {
    drivers: [
      { name: "", nodeID: "" },
      { name: "a", nodeID: "x", topologyKeys: ["a", "a", ""], allocatable: { count: -1 } },
      { name: "a", nodeID: "x" },
    ],
  }),
  attachment("the least", { attacher: "a", nodeName: "n", source: { persistentVolumeName: "p" } }),
  attachment("nothing", {}),
  attachment("wrong names", { attacher: "a_b", nodeName: "N", source: { persistentVolumeName: "A" } }),
  plain("events.k8s.io/v1/events", "the least", {
    eventTime: "2024-01-01T00:00:00.123456Z",
    type: "Normal",
    reason: "R",
    action: "A",
    reportingController: "example.com/c",
    reportingInstance: "c-1",
    regarding: { kind: "Pod", namespace: "default", name: "p" },
  }),
  plain("events.k8s.io/v1/events", "nothing", {}),
  plain("events.k8s.io/v1/events", "everything wrong", {
    eventTime: "2024-01-01T00:00:00.123456Z",
    type: "Foo",
    deprecatedCount: 1,
    deprecatedSource: { component: "x" },
    deprecatedFirstTimestamp: "2024-01-01T00:00:00Z",
    series: { count: 1 },
    reportingController: "a b",
    regarding: { namespace: "other" },
  }),
];
