// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { coreIn, type Sample } from "./sample.ts";

const storage = (resource: string): string => `/apis/storage.k8s.io/v1/${resource}`;
const volume = (name: string, spec: JsonObject, more: Partial<Sample> = {}): Sample => ({
  collection: "/api/v1/persistentvolumes",
  object: { metadata: { name }, spec: { hostPath: { path: "/tmp/x" }, ...spec } },
  ...more,
});
const claim = (name: string, spec: JsonObject, more: Partial<Sample> = {}): Sample => ({
  collection: coreIn("persistentvolumeclaims"),
  object: {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  },
  ...more,
});
const storageClass = (name: string, annotations: JsonObject, parts: JsonObject = {}): Sample => ({
  collection: storage("storageclasses"),
  object: { metadata: { name, annotations }, provisioner: "example.com/disk", ...parts },
});

export const storageSamples: readonly Sample[] = [
  volume(
    "bound",
    {
      capacity: { storage: "2048Mi" },
      accessModes: ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"],
      storageClassName: "fast",
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { namespace: "table", name: "bound" },
    },
    { status: { phase: "Bound" } },
  ),
  volume(
    "failed",
    { capacity: { storage: "1.5Gi" }, accessModes: ["ReadWriteOncePod"], volumeMode: "Block" },
    { status: { phase: "Failed", reason: "RecycleFailed", message: "it did" } },
  ),
  volume("going", { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] }, { isDeleted: true }),
  {
    ...volume("annotated", {}),
    object: {
      metadata: { name: "annotated", annotations: { "volume.beta.kubernetes.io/storage-class": "beta" } },
      spec: { hostPath: { path: "/tmp/x" }, capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
    },
  },
  claim("new", {}),
  claim(
    "bound",
    { volumeName: "bound", storageClassName: "fast", volumeMode: "Block", volumeAttributesClassName: "gold" },
    { status: { phase: "Bound", capacity: { storage: "2Gi" }, accessModes: ["ReadOnlyMany", "ReadWriteOnce"] } },
  ),
  claim("half", { volumeName: "v", storageClassName: "" }),
  claim("going", { storageClassName: "x" }, { isDeleted: true }),
  storageClass("plain", {}),
  storageClass(
    "default",
    { "storageclass.kubernetes.io/is-default-class": "true" },
    {
      reclaimPolicy: "Retain",
      volumeBindingMode: "WaitForFirstConsumer",
      allowVolumeExpansion: true,
    },
  ),
  storageClass("beta", { "storageclass.beta.kubernetes.io/is-default-class": "true" }),
  {
    collection: storage("volumeattributesclasses"),
    object: { metadata: { name: "gold" }, driverName: "example.com", parameters: { a: "b" } },
  },
  { collection: storage("csidrivers"), object: { metadata: { name: "plain.example.com" }, spec: {} } },
  {
    collection: storage("csidrivers"),
    object: {
      metadata: { name: "full.example.com" },
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: true,
        requiresRepublish: true,
        tokenRequests: [{ audience: "a" }, { audience: "b", expirationSeconds: 3600 }],
        volumeLifecycleModes: ["Persistent", "Ephemeral"],
      },
    },
  },
  {
    collection: storage("csinodes"),
    object: { metadata: { name: "node-1" }, spec: { drivers: [{ name: "d", nodeID: "n" }] } },
  },
  { collection: storage("csinodes"), object: { metadata: { name: "node-2" }, spec: { drivers: [] } } },
  {
    collection: "/apis/storage.k8s.io/v1/namespaces/table/csistoragecapacities",
    object: { metadata: { name: "c" }, storageClassName: "fast", capacity: "1024Gi" },
  },
  {
    collection: "/apis/storage.k8s.io/v1/namespaces/table/csistoragecapacities",
    object: { metadata: { name: "unset" }, storageClassName: "fast" },
  },
  {
    collection: storage("volumeattachments"),
    object: {
      metadata: { name: "at" },
      spec: { attacher: "d", nodeName: "node-1", source: { persistentVolumeName: "bound" } },
    },
    status: { attached: true },
  },
  {
    collection: storage("volumeattachments"),
    object: {
      metadata: { name: "not" },
      spec: { attacher: "d", nodeName: "node-1", source: { persistentVolumeName: "failed" } },
    },
  },
];
