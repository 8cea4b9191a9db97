// SPDX-License-Identifier: Apache-2.0
import { type CoreCase, containerCase, podCase } from "./core-case.ts";

/** Pods: good, odd and wrong ones. */
export const podCases: readonly CoreCase[] = [
  podCase("plain", {}),
  podCase("generated name", {}, { name: "", generateName: "sample-" }),
  podCase("less than no grace", { terminationGracePeriodSeconds: -1 }),
  podCase("numeric tolerations", { tolerations: [{ key: "a", operator: "Gt", value: "5" }] }),
  podCase("users of its own in the host's network", { hostUsers: false, hostNetwork: true }),
  podCase("host name of its own", { hostnameOverride: "A", setHostnameAsFQDN: true }),
  podCase("resource claims", { resourceClaims: [{ name: "A" }, { name: "b", resourceClaimName: "c" }] }),
  podCase("runtime class and overhead", { runtimeClassName: "A", overhead: { cpu: "-1" }, preemptionPolicy: "Soon" }),
  podCase("no containers", { containers: [] }),
  podCase("no name and no image", { containers: [{}] }),
  podCase("bad names", { containers: [{ name: "App", image: "nginx" }], nodeName: "A_b", hostname: "x.y" }),
  podCase("same name twice", {
    containers: [
      { name: "app", image: "a" },
      { name: "app", image: "b" },
    ],
    initContainers: [{ name: "app", image: "c" }],
  }),
  podCase("policies that do not exist", { restartPolicy: "Sometimes", dnsPolicy: "Never" }),
  podCase("old name of the service account", { serviceAccount: "default" }),
  podCase("missing service account", { serviceAccountName: "nobody" }),
  podCase("missing priority class", { priorityClassName: "nobody" }),
  podCase("priority of its own", { priority: 7 }),
  podCase("system priority class", { priorityClassName: "system-cluster-critical" }),
  podCase("no token", { automountServiceAccountToken: false }),
  podCase("tolerations of its own", {
    tolerations: [
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
      { key: "a", value: "b" },
    ],
  }),
  podCase("wrong tolerations", {
    tolerations: [
      { operator: "Equal" },
      { key: "a", operator: "Is" },
      { key: "a", operator: "Exists", value: "x", effect: "Never" },
      { key: "b", tolerationSeconds: 3, effect: "NoSchedule" },
    ],
  }),
  podCase("host network", {
    hostNetwork: true,
    containers: [{ name: "app", image: "nginx", ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 82 }] }],
  }),
  podCase("gated", { schedulingGates: [{ name: "example.com/wait" }] }),
  podCase("gated twice and bound", { schedulingGates: [{ name: "a" }, { name: "a" }], nodeName: "node-1" }),
  podCase("sidecar and init container", {
    initContainers: [
      { name: "sidecar", image: "a", restartPolicy: "Always", readinessProbe: { httpGet: { port: 80 } } },
      {
        name: "setup",
        image: "b@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        readinessProbe: { exec: { command: ["x"] } },
      },
    ],
  }),
  podCase("volumes of all usual kinds", {
    volumes: [
      { name: "none" },
      { name: "map", configMap: { name: "a", items: [{ key: "k", path: "p" }] } },
      { name: "secret", secret: { secretName: "a" } },
      { name: "host", hostPath: { path: "/x" } },
      { name: "claim", persistentVolumeClaim: { claimName: "a" } },
      { name: "down", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
      { name: "all", projected: { sources: [{ serviceAccountToken: { path: "t" } }, { secret: { name: "s" } }] } },
      {
        name: "eph",
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
      },
      { name: "nfs", nfs: { server: "a", path: "/b" } },
      { name: "img", image: { reference: "x:latest" } },
    ],
    containers: [{ name: "app", image: "nginx", volumeMounts: [{ name: "map", mountPath: "/m" }] }],
  }),
  podCase("wrong volumes", {
    volumes: [
      { name: "A" },
      { name: "b", configMap: {}, secret: {} },
      { name: "c", hostPath: { path: "/a/../b", type: "Dir" } },
      { name: "d", nfs: {} },
      { name: "e", secret: { secretName: "x", defaultMode: 1000, items: [{ key: "", path: "../x" }] } },
      { name: "f" },
      { name: "f" },
      { name: "g", downwardAPI: { items: [{ path: "/a" }, { path: "b", fieldRef: { fieldPath: "spec.nodeName" } }] } },
      { name: "h", projected: { sources: [{ serviceAccountToken: { expirationSeconds: 5 } }] } },
    ],
  }),
  podCase(
    "affinity",
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }],
          },
        },
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: "kubernetes.io/hostname",
              labelSelector: { matchLabels: { a: "b" } },
              matchLabelKeys: ["v"],
            },
          ],
        },
      },
    },
    { labels: { v: "1" } },
  ),
  podCase("wrong affinity", {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 0, preference: { matchExpressions: [{ key: "a b", operator: "Is" }] } },
        ],
      },
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "" }] },
    },
  }),
  podCase("wrong spreading", {
    topologySpreadConstraints: [
      { maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Never" },
      { maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "ScheduleAnyway", minDomains: 2, labelSelector: {} },
    ],
  }),
  podCase("wrong security context", {
    securityContext: {
      runAsUser: -1,
      fsGroupChangePolicy: "Often",
      sysctls: [{ name: "A", value: "1" }],
      seccompProfile: { type: "Mine" },
    },
  }),
  podCase("wrong names and addresses", {
    dnsPolicy: "None",
    hostAliases: [{ ip: "1.2.3", hostnames: ["A"] }],
    nodeSelector: { "a b": "c d" },
    activeDeadlineSeconds: 0,
    priorityClassName: "A",
  }),
  podCase("resolver", { dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1", "01.1.1.1"], searches: ["A"] } }),
  podCase("labels and annotations", {}, { labels: { "a b": "c" }, annotations: { "a b": "c" } }),
  podCase("ephemeral containers at creation", { ephemeralContainers: [{ name: "debug", image: "busybox" }] }),
  podCase("resources of the whole Pod", { resources: { limits: { cpu: "2", memory: "1Gi" } } }),
  podCase("operating system", { os: { name: "plan9" } }),
  containerCase("limits become requests", { resources: { limits: { cpu: "500m", memory: "64Mi" } } }),
  containerCase("burstable", { resources: { requests: { cpu: "0.1", memory: "1Gi" }, limits: { memory: "2Gi" } } }),
  containerCase("requests above limits", { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
  containerCase("resource that does not exist", { resources: { limits: { disk: "1" } } }),
  containerCase("broken gpu", { resources: { limits: { "example.com/gpu": "500m" } } }),
  containerCase("gpu without limit", { resources: { requests: { "example.com/gpu": "1" } } }),
  containerCase("huge pages alone", { resources: { limits: { "hugepages-2Mi": "4Mi" } } }),
  containerCase("amounts finer than a thousandth", { resources: { requests: { cpu: "100u" } } }),
  containerCase("probes", {
    livenessProbe: { tcpSocket: { port: "http" } },
    readinessProbe: { grpc: { port: 9000 } },
    startupProbe: { httpGet: { port: 8080, httpHeaders: [{ name: "X-A", value: "b" }] } },
    lifecycle: { preStop: { httpGet: { port: 80 } }, postStart: { sleep: { seconds: 5 } } },
  }),
  containerCase("wrong probes", {
    livenessProbe: { successThreshold: 2, exec: {} },
    readinessProbe: { httpGet: { port: 0, scheme: "FTP" }, tcpSocket: { port: "UPPER" }, timeoutSeconds: -1 },
    startupProbe: {},
    lifecycle: { preStop: { sleep: { seconds: 100 } } },
  }),
  containerCase("ports", {
    ports: [
      { containerPort: 80, name: "http" },
      { containerPort: 53, protocol: "UDP" },
    ],
  }),
  containerCase("wrong ports", {
    ports: [
      {},
      { containerPort: 99999, name: "TOO-long-a-port-name", protocol: "ICMP" },
      { containerPort: 1, hostPort: 5 },
      { containerPort: 2, hostPort: 5 },
    ],
  }),
  containerCase("env", {
    env: [
      { name: "A", value: "b" },
      { name: "B", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      { name: "C", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
      { name: "D", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      { name: "E", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
    ],
    envFrom: [{ configMapRef: { name: "a" } }],
  }),
  containerCase("wrong env", {
    env: [
      {},
      { name: "a=b" },
      { name: "A", valueFrom: {} },
      { name: "B", value: "x", valueFrom: { secretKeyRef: { name: "s", key: "a b" } } },
      { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.labels" } } },
      { name: "D", valueFrom: { fieldRef: { fieldPath: "spec.nothing" } } },
      { name: "E", valueFrom: { resourceFieldRef: { resource: "limits.disk" } } },
      { name: "F", valueFrom: { configMapKeyRef: { name: "A" } } },
    ],
    envFrom: [{}, { secretRef: { name: "" } }],
  }),
  containerCase(
    "wrong mounts",
    {
      volumeMounts: [
        {},
        { name: "gone", mountPath: "/a" },
        { name: "v", mountPath: "/a", subPath: "../x", mountPropagation: "Bidirectional" },
      ],
      volumeDevices: [{ name: "v", devicePath: "/dev/x" }],
    },
    { volumes: [{ name: "v" }] },
  ),
  containerCase("wrong policies", { imagePullPolicy: "Now", terminationMessagePolicy: "Log" }),
  containerCase("restart rules", {
    restartPolicy: "Never",
    restartPolicyRules: [
      { action: "RestartAllContainers", exitCodes: { operator: "In", values: [1] } },
      { action: "Stop" },
    ],
  }),
  containerCase("stop signal", { lifecycle: { stopSignal: "SIGTERM" } }),
  containerCase("resize policy", { resizePolicy: [{ resourceName: "disk", restartPolicy: "Maybe" }] }),
  containerCase("padded image", { image: " nginx " }),
  containerCase("no tag", { image: "registry.example.com:5000/team/app" }),
  containerCase("no image name", { image: "Not An Image" }),
  containerCase("restart policy of its own", { restartPolicy: "Never" }),
  containerCase("wrong security context", {
    securityContext: { runAsUser: 4294967296, procMount: "Open", seccompProfile: { type: "Localhost" } },
  }),
];
