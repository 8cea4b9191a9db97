// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, type JsonObject } from "../../../src/apiserver/json/json.ts";
import { podTemplate, selecting, type UpdateCase, withSpec } from "./strategy-case.ts";

const web = podTemplate("web");
const once = podTemplate("web", { restartPolicy: "Never" });
const selector = selecting("web");

/** Changes some fields of the spec. */
function spec(fields: JsonObject): (object: DraftObject) => void {
  return (object) => {
    Object.assign(ensureObject(object, "spec"), structuredClone(fields));
  };
}

/** Changes the template of the Pods. */
function image(name: string): (object: DraftObject) => void {
  return (object) => {
    const pod = ensureObject(ensureObject(ensureObject(object, "spec"), "template"), "spec");
    pod["containers"] = [{ name: "c", image: name }];
  };
}

function top(fields: JsonObject): (object: DraftObject) => void {
  return (object) => {
    Object.assign(object, structuredClone(fields));
  };
}

function annotate(object: DraftObject): void {
  ensureObject(ensureObject(object, "metadata"), "annotations")["note"] = "n";
}

function label(object: DraftObject): void {
  ensureObject(ensureObject(object, "metadata"), "labels")["note"] = "n";
}

const deployment = { resource: "apps/v1/deployments", object: withSpec("up-d", { selector, template: web }) };
const statefulSet = {
  resource: "apps/v1/statefulsets",
  object: withSpec("up-s", { selector, template: web, serviceName: "s" }),
};
const daemonSet = { resource: "apps/v1/daemonsets", object: withSpec("up-e", { selector, template: web }) };
const job = { resource: "batch/v1/jobs", object: withSpec("up-j", { template: once }) };
const suspendedJob = { resource: "batch/v1/jobs", object: withSpec("up-k", { suspend: true, template: once }) };
const indexedJob = {
  resource: "batch/v1/jobs",
  object: withSpec("up-i", { completionMode: "Indexed", completions: 2, parallelism: 2, template: once }),
};
const binding = {
  resource: "rbac.authorization.k8s.io/v1/rolebindings",
  object: { metadata: { name: "up-b" }, roleRef: { kind: "ClusterRole", name: "view" } },
};
const slice = {
  resource: "discovery.k8s.io/v1/endpointslices",
  object: { metadata: { name: "up-s" }, addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }] },
};
const priority = { resource: "scheduling.k8s.io/v1/priorityclasses", object: { metadata: { name: "up-p" }, value: 5 } };
const storageClass = {
  resource: "storage.k8s.io/v1/storageclasses",
  object: { metadata: { name: "up-c" }, provisioner: "example.com/p" },
};
const driver = { resource: "storage.k8s.io/v1/csidrivers", object: withSpec("up-r", {}) };
const attachment = {
  resource: "storage.k8s.io/v1/volumeattachments",
  object: withSpec("up-a", { attacher: "a", nodeName: "n", source: { persistentVolumeName: "p" } }),
};
const event = {
  resource: "events.k8s.io/v1/events",
  object: {
    metadata: { name: "up-v" },
    eventTime: "2024-01-01T00:00:00.123456Z",
    type: "Normal",
    reason: "R",
    action: "A",
    note: "a note",
    reportingController: "example.com/c",
    reportingInstance: "c-1",
    regarding: { kind: "Pod", namespace: "default", name: "p" },
    related: { kind: "Node", name: "n" },
  },
};

/** Changes of objects that are there. */
export const updateCases: readonly UpdateCase[] = [
  { ...deployment, name: "nothing", change: () => {} },
  { ...deployment, name: "scaled", change: spec({ replicas: 5 }) },
  { ...deployment, name: "annotated", change: annotate },
  { ...deployment, name: "labelled", change: label },
  { ...deployment, name: "another selector", change: spec({ selector: selecting("x"), template: podTemplate("x") }) },
  { ...deployment, name: "other Pods than selected", change: spec({ selector: selecting("x") }) },
  { ...statefulSet, name: "scaled", change: spec({ replicas: 2, minReadySeconds: 3, ordinals: { start: 1 } }) },
  { ...statefulSet, name: "another service", change: spec({ serviceName: "t" }) },
  { ...daemonSet, name: "another image", change: image("j") },
  { ...daemonSet, name: "another number of revisions", change: spec({ revisionHistoryLimit: 3 }) },
  { ...daemonSet, name: "another selector", change: spec({ selector: selecting("x"), template: podTemplate("x") }) },
  {
    resource: "apps/v1/controllerrevisions",
    object: { metadata: { name: "up-r" }, data: { a: 1 } },
    name: "other content",
    change: top({ data: { a: 2 }, revision: 3 }),
  },
  {
    ...job,
    name: "what may change",
    change: spec({ parallelism: 3, suspend: true, backoffLimit: 1, ttlSecondsAfterFinished: 9 }),
  },
  { ...job, name: "another image", change: image("j") },
  { ...job, name: "more completions", change: spec({ completions: 4 }) },
  { ...job, name: "another mode", change: spec({ completionMode: "Indexed" }) },
  { ...job, name: "another selector", change: spec({ selector }) },
  { ...job, name: "as it was first sent", change: spec({ selector: null, template: once }) },
  { ...suspendedJob, name: "another image", change: image("j") },
  {
    ...suspendedJob,
    name: "other nodes",
    change: (object) => {
      const pod = ensureObject(ensureObject(ensureObject(object, "spec"), "template"), "spec");
      Object.assign(pod, { nodeSelector: { disk: "ssd" }, tolerations: [{ key: "a", operator: "Exists" }] });
    },
  },
  { ...indexedJob, name: "more of both", change: spec({ completions: 4, parallelism: 4 }) },
  { ...indexedJob, name: "more completions", change: spec({ completions: 4 }) },
  {
    resource: "batch/v1/cronjobs",
    object: withSpec("up-c", { schedule: "@daily", jobTemplate: { spec: { template: once } } }),
    name: "another time",
    change: spec({ schedule: "@hourly", timeZone: "Europe/Berlin" }),
  },
  {
    resource: "networking.k8s.io/v1/ingressclasses",
    object: withSpec("up-i", { controller: "example.com/c" }),
    name: "another controller",
    change: spec({ controller: "example.com/d" }),
  },
  {
    resource: "networking.k8s.io/v1/ingresses",
    object: withSpec("up-i", {
      ingressClassName: "a",
      defaultBackend: { service: { name: "x", port: { number: 80 } } },
    }),
    name: "the class of old days beside the new one",
    change: (object) => {
      ensureObject(object, "metadata")["annotations"] = { "kubernetes.io/ingress.class": "b" };
    },
  },
  {
    resource: "policy/v1/poddisruptionbudgets",
    object: withSpec("up-b", { minAvailable: 1, selector }),
    name: "another bound",
    change: spec({ minAvailable: 2 }),
  },
  { ...binding, name: "another role", change: top({ roleRef: { kind: "ClusterRole", name: "edit" } }) },
  { ...binding, name: "a subject", change: top({ subjects: [{ kind: "User", name: "u" }] }) },
  { ...slice, name: "another type", change: top({ addressType: "IPv6", endpoints: [] }) },
  { ...slice, name: "labelled", change: label },
  { ...slice, name: "annotated", change: annotate },
  { ...priority, name: "another value", change: top({ value: 6, preemptionPolicy: "Never" }) },
  { ...priority, name: "a description", change: top({ description: "d" }) },
  {
    ...storageClass,
    name: "everything",
    change: top({
      provisioner: "a/b",
      parameters: { a: "b" },
      reclaimPolicy: "Retain",
      volumeBindingMode: "WaitForFirstConsumer",
    }),
  },
  { ...storageClass, name: "room to grow", change: top({ allowVolumeExpansion: true }) },
  { ...driver, name: "what may change", change: spec({ podInfoOnMount: true }) },
  { ...driver, name: "what may not", change: spec({ attachRequired: false, volumeLifecycleModes: ["Ephemeral"] }) },
  { ...attachment, name: "another node", change: spec({ nodeName: "m" }) },
  {
    ...event,
    name: "a series",
    change: top({ series: { count: 2, lastObservedTime: "2024-01-01T00:00:01.000000Z" } }),
  },
  {
    ...event,
    name: "everything",
    change: top({
      reason: "Q",
      note: "z",
      type: "Warning",
      action: "B",
      regarding: { kind: "Pod" },
      eventTime: "2025-01-01T00:00:00.123456Z",
      reportingInstance: "d",
      related: null,
      deprecatedSource: { host: "h" },
    }),
  },
];
