// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { ociRepositoryKind as kind } from "./oci-repository-kind.ts";
import { fluxSamples } from "./testing/samples.ts";

test("[L18] an OCIRepository's row has its url without credentials, and the reference Flux takes", () => {
  expect(columnsOf(kind, rowOf(kind, fluxSamples.ociRepository))).toEqual({
    url: "oci://registry.example/manifests",
    ref: "semver >= 1.0",
    provider: "generic",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
  });
});
