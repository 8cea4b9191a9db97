// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { helmRepositoryKind as kind } from "./helm-repository-kind.ts";
import { fluxSamples } from "./testing/samples.ts";

test("[L18] a HelmRepository's row has its url without credentials, and its type", () => {
  expect(columnsOf(kind, rowOf(kind, fluxSamples.helmRepository))).toEqual({
    url: "https://charts.example/prometheus",
    type: "default",
    provider: "generic",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
  });
});
