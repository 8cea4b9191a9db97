// SPDX-License-Identifier: Apache-2.0
// Objects of nearly every kind, with fields of every type, each form of absence and several volumes, probes and
// schemas.

/** What is created, where. */
export interface ProtobufSample {
  readonly path: string;
  readonly body: object;
}

const labels = { app: "web" };
const here = "namespaces/default";
const template = {
  metadata: { labels, annotations: { "example.com/e": "ü😀" } },
  spec: { containers: [{ name: "web", image: "web:1" }], restartPolicy: "Always" },
};
const jobTemplate = { spec: { ...template.spec, restartPolicy: "Never" } };

const pod = {
  metadata: {
    name: "rich",
    labels,
    finalizers: ["example.com/keep"],
    ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u-1", controller: false }],
  },
  spec: {
    serviceAccountName: "sa",
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 5,
    securityContext: {
      runAsUser: 0,
      supplementalGroups: [1, 2_147_483_647, 3],
      sysctls: [{ name: "kernel.msgmax", value: "1" }],
    },
    volumes: [
      { name: "a", emptyDir: {} },
      { name: "b", configMap: { name: "settings", optional: true, items: [{ key: "k", path: "p", mode: 0 }] } },
      {
        name: "c",
        projected: {
          sources: [
            { secret: { name: "s" } },
            { downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
          ],
        },
      },
      { name: "d", hostPath: { path: "/x", type: "" } },
      { name: "e", emptyDir: { medium: "Memory", sizeLimit: "1500m" } },
      {
        name: "f",
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
      },
    ],
    initContainers: [{ name: "init", image: "i", restartPolicy: "Always" }],
    containers: [
      {
        name: "web",
        image: "web:1",
        command: ["sh", "-c", ""],
        env: [
          { name: "A", value: "" },
          { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } },
          { name: "C", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
        ],
        envFrom: [{ prefix: "P", configMapRef: { name: "c" } }],
        ports: [{ containerPort: 80 }, { name: "x", containerPort: 53, protocol: "UDP" }],
        resources: { limits: { cpu: "0.5", memory: "1024Mi", "example.com/thing": "3" }, requests: { cpu: "100m" } },
        livenessProbe: {
          httpGet: { path: "/", port: "x", httpHeaders: [{ name: "H", value: "" }] },
          initialDelaySeconds: 0,
        },
        readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: null },
        startupProbe: { grpc: { port: 1, service: "" } },
        lifecycle: { preStop: { exec: { command: ["true"] } }, postStart: { sleep: { seconds: 1 } } },
        securityContext: { privileged: false, capabilities: { add: ["X"] }, readOnlyRootFilesystem: true },
        volumeMounts: [{ name: "a", mountPath: "/a", readOnly: false }],
      },
    ],
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: "k", operator: "Exists" }] } },
        ],
      },
    },
    tolerations: [{ operator: "Exists", tolerationSeconds: 0, effect: "NoExecute" }],
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: labels } },
    ],
    hostAliases: [{ ip: "1.2.3.4", hostnames: ["a", "b"] }],
    dnsConfig: { options: [{ name: "ndots", value: "2" }, { name: "x" }] },
  },
};

const schema = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      properties: {
        size: {
          type: "integer",
          format: "int64",
          minimum: 0,
          maximum: 9,
          default: 3,
          enum: [3, 4],
        },
        ratio: { type: "number", multipleOf: 0.1, maximum: 9.5, exclusiveMaximum: true },
        any: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
        bag: { type: "object", additionalProperties: { type: "string", nullable: true } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        flags: { type: "object", additionalProperties: true },
        list: {
          type: "array",
          items: { type: "object", required: ["k"], properties: { k: { type: "string", default: "" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          default: [],
        },
        object: { type: "object", default: { a: [null, { b: "c" }] }, "x-kubernetes-preserve-unknown-fields": true },
      },
      "x-kubernetes-validations": [{ rule: "!has(self.size) || self.size >= 0", message: "m" }],
    },
    status: { type: "object", not: { required: ["never"] } },
  },
};

const crd = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
      },
    ],
  },
};

const selected = { selector: { matchLabels: labels }, template };
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];

function core(resource: string, body: object, within = `${here}/`): ProtobufSample {
  return { path: `/api/v1/${within}${resource}`, body };
}

function other(groupVersion: string, resource: string, body: object, within = `${here}/`): ProtobufSample {
  return { path: `/apis/${groupVersion}/${within}${resource}`, body };
}

export const protobufSamples: readonly ProtobufSample[] = [
  core("configmaps", {
    metadata: { name: "c" },
    data: { a: "", b: "x" },
    binaryData: { z: "AAH/", e: "" },
    immutable: false,
  }),
  core("secrets", { metadata: { name: "s" }, data: { k: "dg==", empty: "" }, type: "Opaque" }),
  core("serviceaccounts", { metadata: { name: "sa" }, secrets: [{ name: "s" }], automountServiceAccountToken: false }),
  core("pods", pod),
  core(
    "nodes",
    {
      metadata: { name: "n" },
      spec: { taints: [{ key: "k", effect: "NoSchedule" }] },
      status: { capacity: { cpu: "4" } },
    },
    "",
  ),
  core("services", {
    metadata: { name: "web" },
    spec: {
      selector: labels,
      ports: [
        { port: 80, targetPort: "x" },
        { name: "y", port: 81 },
      ].map((port, at) => ({ name: `p${at}`, ...port })),
    },
  }),
  core("endpoints", { metadata: { name: "e" }, subsets: [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 1 }] }] }),
  core("events", {
    metadata: { name: "ev" },
    involvedObject: { kind: "Pod", name: "rich", namespace: "default" },
    reason: "R",
    count: 1,
    lastTimestamp: "2020-01-02T03:04:05Z",
  }),
  core(
    "persistentvolumes",
    {
      metadata: { name: "pv" },
      spec: { capacity: { storage: "5Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/d" } },
    },
    "",
  ),
  core("persistentvolumeclaims", { metadata: { name: "pvc" }, spec: { ...claim, storageClassName: "" } }),
  core("limitranges", { metadata: { name: "l" }, spec: { limits: [{ type: "Pod", max: { cpu: "2" } }] } }),
  core("resourcequotas", { metadata: { name: "q" }, spec: { hard: { pods: "100" } } }),
  core("replicationcontrollers", { metadata: { name: "rc" }, spec: { replicas: 0, selector: labels, template } }),
  core("podtemplates", { metadata: { name: "pt" }, template }),
  other("apps/v1", "deployments", {
    metadata: { name: "d" },
    spec: { ...selected, replicas: 0, strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } } },
  }),
  other("apps/v1", "statefulsets", {
    metadata: { name: "st" },
    spec: { ...selected, serviceName: "web", volumeClaimTemplates: [{ metadata: { name: "v" }, spec: claim }] },
  }),
  other("apps/v1", "daemonsets", { metadata: { name: "ds" }, spec: selected }),
  other("apps/v1", "replicasets", { metadata: { name: "rs" }, spec: selected }),
  other("apps/v1", "controllerrevisions", {
    metadata: { name: "cr" },
    revision: 9007199254740992,
    data: { spec: { n: 1, t: [true, null] } },
  }),
  other("batch/v1", "jobs", {
    metadata: { name: "j" },
    spec: {
      template: jobTemplate,
      backoffLimit: 0,
      podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1, 42, 255] } }] },
    },
  }),
  other("batch/v1", "cronjobs", {
    metadata: { name: "cj" },
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate } }, suspend: false },
  }),
  other("discovery.k8s.io/v1", "endpointslices", {
    metadata: { name: "es" },
    addressType: "IPv4",
    endpoints: [{ addresses: ["1.2.3.4"], conditions: { ready: false } }],
    ports: [{ name: "", port: 80 }],
  }),
  other("discovery.k8s.io/v1", "endpointslices", { metadata: { name: "bare" }, addressType: "IPv6", endpoints: null }),
  other("networking.k8s.io/v1", "ingresses", {
    metadata: { name: "i" },
    spec: {
      rules: [
        {
          host: "a.example",
          http: {
            paths: [{ pathType: "Prefix", path: "/", backend: { service: { name: "web", port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  other("networking.k8s.io/v1", "networkpolicies", {
    metadata: { name: "np" },
    spec: {
      podSelector: {},
      ingress: [{}],
      egress: [{ ports: [{ port: "dns" }, { port: 53, endPort: 54 }], to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }],
    },
  }),
  other(
    "networking.k8s.io/v1",
    "ingressclasses",
    { metadata: { name: "ic" }, spec: { controller: "example.com/c" } },
    "",
  ),
  other("policy/v1", "poddisruptionbudgets", {
    metadata: { name: "pdb" },
    spec: { minAvailable: "50%", selector: {} },
  }),
  other("autoscaling/v2", "horizontalpodautoscalers", {
    metadata: { name: "h" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      maxReplicas: 3,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "500m" } } },
      ],
    },
  }),
  other("rbac.authorization.k8s.io/v1", "roles", { metadata: { name: "r" }, rules }),
  other("rbac.authorization.k8s.io/v1", "roles", { metadata: { name: "none" } }),
  other("rbac.authorization.k8s.io/v1", "rolebindings", {
    metadata: { name: "rb" },
    subjects: [{ kind: "User", name: "u" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
  }),
  other("coordination.k8s.io/v1", "leases", {
    metadata: { name: "le" },
    spec: {
      holderIdentity: "",
      leaseDurationSeconds: 15,
      renewTime: "2021-02-03T04:05:06.000070Z",
      acquireTime: "2021-02-03T04:05:06.999999Z",
    },
  }),
  other("events.k8s.io/v1", "events", {
    metadata: { name: "ev2" },
    eventTime: "2021-02-03T04:05:06.100000Z",
    reason: "R",
    action: "A",
    type: "Normal",
    reportingController: "c",
    reportingInstance: "i",
    regarding: { kind: "Pod", name: "rich", namespace: "default" },
  }),
  other("scheduling.k8s.io/v1", "priorityclasses", { metadata: { name: "pc" }, value: -5 }, ""),
  other(
    "storage.k8s.io/v1",
    "storageclasses",
    { metadata: { name: "sc" }, provisioner: "p", parameters: { a: "b" }, allowVolumeExpansion: false },
    "",
  ),
  other(
    "storage.k8s.io/v1",
    "csidrivers",
    { metadata: { name: "csi.example.com" }, spec: { attachRequired: false, tokenRequests: [{ audience: "" }] } },
    "",
  ),
  other(
    "storage.k8s.io/v1",
    "csinodes",
    {
      metadata: { name: "n" },
      spec: { drivers: [{ name: "d", nodeID: "i", topologyKeys: ["z"], allocatable: { count: 0 } }] },
    },
    "",
  ),
  other(
    "storage.k8s.io/v1",
    "volumeattachments",
    { metadata: { name: "va" }, spec: { attacher: "x", nodeName: "n", source: { persistentVolumeName: "pv" } } },
    "",
  ),
  other("apiextensions.k8s.io/v1", "customresourcedefinitions", crd, ""),
];
