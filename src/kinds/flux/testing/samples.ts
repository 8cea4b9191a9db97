// SPDX-License-Identifier: Apache-2.0

import { type KindSample, sampleMetadata, secretMarker } from "../../testing/kind-sample.ts";
import { helmReleaseKind } from "../helm-release-kind.ts";
import { kustomizationKind } from "../kustomization-kind.ts";
import {
  bucketKind,
  gitRepositoryKind,
  helmChartKind,
  helmRepositoryKind,
  ociRepositoryKind,
} from "../source-kinds.ts";

const failure = {
  type: "Ready",
  status: "False",
  reason: "GitOperationFailed",
  message: `unable to clone 'https://bot:${secretMarker}@git.example/fleet?token=${secretMarker}': denied`,
};
const sourceStatus = {
  observedGeneration: 1,
  artifact: { revision: "main@sha1:abc", url: `http://source.flux-system/${secretMarker}` },
  conditions: [failure],
};
const schedule = { interval: "10m", suspend: false, secretRef: { name: secretMarker } };

/** One full object of each of Flux's kinds, by kind. */
export const fluxSamples = {
  kustomization: {
    metadata: sampleMetadata("shop"),
    spec: {
      ...schedule,
      path: "./regions/eu",
      prune: true,
      sourceRef: { kind: "GitRepository", name: "fleet", namespace: "flux-system" },
      targetNamespace: "shop",
      dependsOn: [{ name: "infrastructure", namespace: "flux-system" }, { name: "crds" }],
      postBuild: { substitute: { password: secretMarker } },
      patches: [{ patch: secretMarker }],
      decryption: { secretRef: { name: secretMarker } },
    },
    status: {
      observedGeneration: 1,
      lastAppliedRevision: "main@sha1:aaa",
      lastAttemptedRevision: "main@sha1:bbb",
      conditions: [failure],
    },
  },
  helmRelease: {
    metadata: sampleMetadata("exporter"),
    spec: {
      ...schedule,
      releaseName: "exporter-eu",
      targetNamespace: "kube-system",
      storageNamespace: "flux-system",
      dependsOn: [{ name: "crds" }],
      chart: {
        spec: { chart: "exporter", version: "4.x", sourceRef: { kind: "HelmRepository", name: "prometheus" } },
      },
      values: { password: secretMarker },
      valuesFrom: [{ kind: "Secret", name: secretMarker, targetPath: secretMarker }],
    },
    status: {
      observedGeneration: 1,
      lastAttemptedRevision: "4.48.0",
      failures: 3,
      history: [
        { version: 8, status: "failed", chartVersion: "4.48.0", configDigest: secretMarker },
        { version: 7, status: "deployed", chartVersion: "4.47.0", configDigest: secretMarker },
      ],
      conditions: [failure],
    },
  },
  gitRepository: {
    metadata: sampleMetadata("fleet"),
    spec: {
      ...schedule,
      url: `https://bot:${secretMarker}@git.example/platform/fleet?token=${secretMarker}`,
      ref: { branch: "main", tag: "v1" },
      provider: "generic",
    },
    status: sourceStatus,
  },
  helmRepository: {
    metadata: sampleMetadata("prometheus"),
    spec: {
      ...schedule,
      url: `https://${secretMarker}@charts.example/prometheus`,
      type: "default",
      provider: "generic",
    },
    status: sourceStatus,
  },
  helmChart: {
    metadata: sampleMetadata("shop-exporter"),
    spec: {
      ...schedule,
      chart: "exporter",
      version: "4.x",
      sourceRef: { kind: "HelmRepository", name: "prometheus" },
      valuesFiles: [secretMarker],
    },
    status: sourceStatus,
  },
  bucket: {
    metadata: sampleMetadata("blobs"),
    spec: {
      ...schedule,
      endpoint: `key:${secretMarker}@s3.example:9000`,
      bucketName: "fleet",
      prefix: "eu/",
      region: "eu-1",
      provider: "aws",
      sts: { endpoint: secretMarker },
    },
    status: sourceStatus,
  },
  ociRepository: {
    metadata: sampleMetadata("manifests"),
    spec: {
      ...schedule,
      url: `oci://bot:${secretMarker}@registry.example/manifests`,
      ref: { semver: ">= 1.0", tag: "latest" },
      provider: "generic",
      proxySecretRef: { name: secretMarker },
    },
    status: sourceStatus,
  },
} as const;

/** The samples with the kinds that read them. */
export const fluxKindSamples: readonly KindSample[] = [
  { kind: kustomizationKind, object: fluxSamples.kustomization },
  { kind: helmReleaseKind, object: fluxSamples.helmRelease },
  { kind: gitRepositoryKind, object: fluxSamples.gitRepository },
  { kind: helmRepositoryKind, object: fluxSamples.helmRepository },
  { kind: helmChartKind, object: fluxSamples.helmChart },
  { kind: bucketKind, object: fluxSamples.bucket },
  { kind: ociRepositoryKind, object: fluxSamples.ociRepository },
];
