// SPDX-License-Identifier: Apache-2.0
// Objects of the kinds about the API server itself and about nodes' runtimes, for the comparison of protobuf with JSON.
import type { ProtobufSample } from "./protobuf-samples.ts";

/** A certificate request for `CN=test`, PEM in base64. */
const certificateRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWRHVnpkREJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQk9JcWZ5eHQySTVKZ1JxcEFqQ1FWc0tiZm13TGtPMkJIMkt5NG56c2xMaFZMaUExZUViV1cxYkhDeXJKCjBZZE90ZVlXZSt6VUgxNkRvSi9ZeTYrT0hBcWdBREFLQmdncWhrak9QUVFEQWdOSUFEQkZBaUVBeDJ5VG5TbHkKUDZmQlFXSzM1ZUo2cUZzWFpuU0dMZW8vaE10bCtzSGYwNWNDSUhaVWd3eXlQa1FSK0lxd0JhaGxPeDMrVHhKMgpjV0tUNGFBZ1lYcW1JRzl4Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";

const admission = "/apis/admissionregistration.k8s.io/v1";
const rules = [{ operations: ["CREATE"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"] }];

/** Webhooks that are asked about nothing in the cluster: their namespace does not exist. */
const webhooks = [
  {
    name: "w.example.com",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    failurePolicy: "Ignore",
    clientConfig: { url: "https://127.0.0.1:1/x", caBundle: "" },
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "none" } },
    matchConditions: [{ name: "never", expression: "false" }],
    rules,
  },
];

export const protobufServerSamples: readonly ProtobufSample[] = [
  {
    path: "/apis/node.k8s.io/v1/runtimeclasses",
    body: {
      metadata: { name: "rc" },
      handler: "runc",
      overhead: { podFixed: { cpu: "100m" } },
      scheduling: {
        nodeSelector: { a: "b" },
        tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 }],
      },
    },
  },
  {
    path: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    body: {
      metadata: { name: "csr" },
      spec: {
        request: certificateRequest,
        signerName: "example.com/signer",
        usages: ["client auth", "digital signature"],
        expirationSeconds: 600,
      },
    },
  },
  {
    path: "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities",
    body: { metadata: { name: "cap" }, storageClassName: "sc", capacity: "1500m", nodeTopology: { matchLabels: {} } },
  },
  { path: `${admission}/validatingwebhookconfigurations`, body: { metadata: { name: "vw" }, webhooks } },
  { path: `${admission}/mutatingwebhookconfigurations`, body: { metadata: { name: "mw" }, webhooks } },
  {
    path: `${admission}/validatingadmissionpolicybindings`,
    body: {
      metadata: { name: "vb" },
      spec: { policyName: "vp", validationActions: ["Warn"], matchResources: { namespaceSelector: {} } },
    },
  },
  {
    path: `${admission}/mutatingadmissionpolicybindings`,
    body: { metadata: { name: "mb" }, spec: { policyName: "mp" } },
  },
];
