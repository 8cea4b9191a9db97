// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { resolveKindName } from "./resolve-kind-name.ts";

const kinds = [
  { resource: "apps/deployments", kind: "Deployment", version: "v1" },
  { resource: "cert-manager.io/certificates", kind: "", version: "", otherNames: ["certificate", "cert", "certs"] },
  { resource: "example.com/pods", kind: "PodOfPeas", version: "v1" },
  { resource: "gateway.networking.k8s.io/gateways", kind: "Gateway", version: "v1" },
  { resource: "networking.istio.io/gateways", kind: "Gateway", version: "v1" },
  { resource: "pods", kind: "Pod", version: "v1" },
];

test.each([
  ["po", ["pods"]],
  ["Pod", ["pods"]],
  ["pods.v1", ["pods"]],
  ["pods.v1.", ["pods"]],
  ["pods.example.com", ["example.com/pods"]],
  ["deploy", ["apps/deployments"]],
  ["deploy.apps", ["apps/deployments"]],
  ["Deployment.apps", ["apps/deployments"]],
  ["deployments.v1.apps", ["apps/deployments"]],
  ["Deployment.v1.apps", ["apps/deployments"]],
  ["apps/deploy", ["apps/deployments"]],
  ["cert", ["cert-manager.io/certificates"]],
  ["Certificate.cert-manager.io", ["cert-manager.io/certificates"]],
  ["certificates.v1beta1.cert-manager.io", ["cert-manager.io/certificates"]],
  ["gateways.networking.istio.io", ["networking.istio.io/gateways"]],
  ["gateway", ["gateway.networking.k8s.io/gateways", "networking.istio.io/gateways"]],
])("[CL3] %j is %j, as kubectl reads it", (wanted, resources) => {
  expect(resolveKindName(kinds, wanted)).toEqual(resources);
});

test.each([
  "",
  ".",
  "/",
  "pods.",
  ".apps",
  "pods.apps",
  "pods.v2",
  "deploy.v1",
  "deployments.v2.apps",
  "deployments.apps.v1",
  "deployments..apps",
  "certificates.1.cert-manager.io",
  "apps/deployments/x",
  "constructor",
])("[CL3] %j is no kind", (wanted) => {
  expect(resolveKindName(kinds, wanted)).toEqual([]);
});
