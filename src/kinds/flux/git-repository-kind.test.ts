// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { gitRepositoryKind as kind } from "./git-repository-kind.ts";
import { fluxSamples } from "./testing/samples.ts";

test("[L18] a GitRepository's row has its url without credentials, the reference Flux takes, and the revision at hand", () => {
  expect(columnsOf(kind, rowOf(kind, fluxSamples.gitRepository))).toEqual({
    url: "https://git.example/platform/fleet",
    ref: "tag v1",
    provider: "generic",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
  });
});
