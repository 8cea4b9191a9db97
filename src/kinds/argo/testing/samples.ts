// SPDX-License-Identifier: Apache-2.0

import { type KindSample, sampleMetadata, secretMarker } from "../../testing/kind-sample.ts";
import { appProjectKind } from "../app-project-kind.ts";
import { applicationKind } from "../application-kind.ts";
import { applicationSetKind } from "../application-set-kind.ts";

const repoURL = `https://bot:${secretMarker}@git.example/apps?token=${secretMarker}`;

/** One full object of each of Argo CD's kinds, by kind. */
export const argoSamples = {
  application: {
    metadata: sampleMetadata("payments"),
    spec: {
      project: "default",
      sources: [
        { repoURL, path: "payments", targetRevision: "main", ref: "values" },
        {
          repoURL: "registry.example/charts",
          chart: "payments",
          targetRevision: "1.2.3",
          helm: { values: secretMarker, parameters: [{ name: "password", value: secretMarker }] },
          plugin: { env: [{ name: "KEY", value: secretMarker }] },
        },
      ],
      destination: { server: `https://u:${secretMarker}@kubernetes.default.svc`, namespace: "payments" },
      syncPolicy: { automated: { prune: true, selfHeal: false } },
      info: [{ name: "key", value: secretMarker }],
    },
    status: {
      sync: { status: "Unknown", revisions: ["abc", "1.2.3"], comparedTo: { source: { repoURL } } },
      health: { status: "Healthy" },
      operationState: { phase: "Succeeded", message: `synced ${repoURL}`, operation: { info: secretMarker } },
      conditions: [{ type: "ComparisonError", message: `rpc error: cannot list ${repoURL}: denied` }],
      history: [{ source: { repoURL } }],
    },
  },
  applicationSet: {
    metadata: sampleMetadata("fleet"),
    spec: {
      generators: [{ list: { elements: [{ password: secretMarker }] } }, { git: { repoURL } }],
      template: { spec: { project: "default", source: { repoURL } } },
    },
    status: {
      conditions: [
        {
          type: "ErrorOccurred",
          status: "True",
          reason: "ApplicationGenerationFromParamsError",
          message: `at ${repoURL}`,
        },
      ],
      resources: [{ name: "a" }, { name: "b" }],
    },
  },
  appProject: {
    metadata: sampleMetadata("default"),
    spec: {
      sourceRepos: [repoURL, "*"],
      destinations: [{ server: "https://kubernetes.default.svc", namespace: "payments" }, { name: "in-cluster" }],
      sourceNamespaces: ["argocd"],
      roles: [{ name: "ci", jwtTokens: [{ id: secretMarker }] }],
    },
    status: { jwtTokensByRole: { ci: { items: [{ id: secretMarker }] } } },
  },
} as const;

/** The samples with the kinds that read them. */
export const argoKindSamples: readonly KindSample[] = [
  { kind: applicationKind, object: argoSamples.application },
  { kind: applicationSetKind, object: argoSamples.applicationSet },
  { kind: appProjectKind, object: argoSamples.appProject },
];
