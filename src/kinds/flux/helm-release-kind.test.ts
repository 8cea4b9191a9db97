// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { helmReleaseKind as kind } from "./helm-release-kind.ts";
import { fluxSamples } from "./testing/samples.ts";

test("a HelmRelease's row has chart, source, target, and the version in force beside the one that failed", () => {
  expect(columnsOf(kind, rowOf(kind, fluxSamples.helmRelease))).toEqual({
    source: "HelmRepository/shop/prometheus",
    chart: "exporter",
    chartVersion: "4.x",
    appliedRevision: "4.47.0",
    attemptedRevision: "4.48.0",
    releaseName: "exporter-eu",
    releaseVersion: 7,
    targetNamespace: "kube-system",
    storageNamespace: "flux-system",
    interval: "10m",
    suspend: false,
    ready: "False",
    readyMessage: "unable to clone 'https://git.example/fleet': denied",
    dependsOn: ["shop/crds"],
    failureCount: 3,
  });
});

test("[KI13] of versions before v2 the revisions are read where those keep them", () => {
  const status = { lastAppliedRevision: "1.0.0", lastAttemptedRevision: "1.1.0", lastReleaseRevision: 4 };
  expect(columnsOf(kind, rowOf(kind, { metadata: sampleMetadata("old"), status }))).toEqual({
    appliedRevision: "1.0.0",
    attemptedRevision: "1.1.0",
    releaseVersion: 4,
  });
});

test("a chartRef is the source", () => {
  const spec = { chartRef: { kind: "OCIRepository", name: "podinfo", namespace: "flux-system" } };
  const row = rowOf(kind, { metadata: sampleMetadata("a"), spec });
  expect(row.columns.get("source")).toBe("OCIRepository/flux-system/podinfo");
});
