// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { bucketKind, gitRepositoryKind, helmChartKind, helmRepositoryKind, ociRepositoryKind } from "./source-kinds.ts";
import { fluxSamples } from "./testing/samples.ts";

const notReady = { ready: "False", readyMessage: "unable to clone 'https://git.example/fleet': denied" };

test("[L18] a GitRepository's row has its url without credentials, the reference Flux takes, and the revision at hand", () => {
  expect(columnsOf(gitRepositoryKind, rowOf(gitRepositoryKind, fluxSamples.gitRepository))).toEqual({
    url: "https://git.example/platform/fleet",
    ref: "tag v1",
    provider: "generic",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
    ...notReady,
  });
});

test("[L18] an OCIRepository's row has its url without credentials, and the reference Flux takes", () => {
  expect(columnsOf(ociRepositoryKind, rowOf(ociRepositoryKind, fluxSamples.ociRepository))).toEqual({
    url: "oci://registry.example/manifests",
    ref: "semver >= 1.0",
    provider: "generic",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
    ...notReady,
  });
});

test("[L18] a HelmRepository's row has its url without credentials, and its type", () => {
  expect(columnsOf(helmRepositoryKind, rowOf(helmRepositoryKind, fluxSamples.helmRepository))).toEqual({
    url: "https://charts.example/prometheus",
    type: "default",
    provider: "generic",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
    ...notReady,
  });
});

test("a HelmChart's row has source, chart and version", () => {
  expect(columnsOf(helmChartKind, rowOf(helmChartKind, fluxSamples.helmChart))).toEqual({
    source: "HelmRepository/shop/prometheus",
    chart: "exporter",
    chartVersion: "4.x",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
    ...notReady,
  });
});

test("[L18] a Bucket's row has its endpoint without credentials, and what of it is taken", () => {
  expect(columnsOf(bucketKind, rowOf(bucketKind, fluxSamples.bucket))).toEqual({
    endpoint: "s3.example:9000",
    bucketName: "fleet",
    prefix: "eu/",
    region: "eu-1",
    provider: "aws",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
    ...notReady,
  });
});
